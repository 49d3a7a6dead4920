// The editor of a status page, with the page beside it.
import './status-page.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { statusPageAsCurl } from '@vedette/as-code/page-code'
import { pageAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call, callWithWarnings } from '../../api/call.ts'
import type { StatusPage } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { useLeaveGuard } from '../../forms/leave-guard.ts'
import { statusPageProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { BadgePanel } from '../../parts/badge-panel.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { DomainSection } from '../../parts/domain-section.tsx'
import { HistoryLink } from '../../parts/history-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { PagePreview } from '../../parts/page-preview.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { TerraformBlock } from '../../parts/terraform-block.tsx'
import { UrlTabs } from '../../parts/url-tabs.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { Templates } from '../incidents/templates.tsx'
import { AccessTab } from './access-tab.tsx'
import { ContentTab } from './content-tab.tsx'
import { LookTab } from './look-tab.tsx'
import { type PageValues, savePage, valuesOf } from './page-values.ts'
import { RulesTab } from './rules-tab.tsx'
import { SubscribersTab } from './subscribers-tab.tsx'
import { WebhooksTab } from './webhooks-tab.tsx'

export function Screen({ id }: { id: string }) {
  const [generation, setGeneration] = useState(0)
  const [issuedKey, setIssuedKey] = useState<string | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['status-page', id],
    queryFn: ({ signal }) =>
      callWithWarnings('GET /v1/status-pages/{statusPageId}', { params: { statusPageId: id } }, signal),
    refetchOnWindowFocus: false,
  })
  if (data !== undefined)
    return (
      <Editor
        // New components have other ids after they are saved.
        key={generation}
        page={data.body}
        warnings={data.warnings}
        issuedKey={issuedKey}
        onKeyCopied={() => setIssuedKey(null)}
        onSaved={async (key) => {
          setIssuedKey(key)
          await refetch()
          setGeneration((before) => before + 1)
        }}
      />
    )
  if (isNotFound(error)) return <NotFound what="This status page" resourceId={id} />
  return (
    <ScreenFrame title="Status page">
      {error ? <Failure what="The status page" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

interface EditorProps {
  page: StatusPage
  warnings: readonly string[]
  issuedKey: string | null
  onKeyCopied(): void
  onSaved(issuedKey: string | null): Promise<void>
}

function Editor({ page, warnings, issuedKey, onKeyCopied, onSaved }: EditorProps) {
  const { denialOf, account } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const latestKey = useRef<string | null>(null)
  const stored = useRef(page)
  const form = useForm<PageValues>({
    key: `status-page/${page.id}`,
    saved: valuesOf(page),
    problemsOf: statusPageProblems,
    reload: async () => {
      stored.current = await call('GET /v1/status-pages/{statusPageId}', {
        params: { statusPageId: page.id },
      })
      return valuesOf(stored.current)
    },
    save: async (values, changes) => {
      latestKey.current = await savePage(stored.current, values)
      showOutcome(`Saved: ${formatNumberOf(changes.length, 'change')}.`)
    },
  })
  const latestDiscard = useRef(form.discard)
  latestDiscard.current = form.discard
  useLeaveGuard(
    form.isChanged,
    useCallback(() => latestDiscard.current(), []),
  )
  const path = `/s/${page.url}`
  const edit = (content: ReactNode) => (
    <FormFrame
      form={form}
      saveLabel="Save"
      denial={denialOf('READ_WRITE')}
      labelOf={labelOf}
      onSaved={() => {
        void queries.invalidateQueries({ queryKey: ['status-pages'] })
        void queries.invalidateQueries({ queryKey: ['services'] })
        void queries.invalidateQueries({ queryKey: ['service-usage'] })
        void onSaved(latestKey.current)
      }}
    >
      {content}
    </FormFrame>
  )
  const server = { origin: location.origin + basePath, accountId: account.id }
  return (
    <ScreenFrame
      title={page.name}
      trail={<Link href="/status-pages">Status pages</Link>}
      actions={
        <>
          <HistoryLink resourceId={page.id} />
          <a className="button" href={`${basePath}${path}`} target="_blank" rel="noreferrer">
            Open the page <Icon name="external" />
          </a>
          <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setDeleting(true)}>
            Delete
          </ActionButton>
        </>
      }
    >
      <ProjectBadge {...page} />
      {issuedKey !== null && (
        <SecretOnce what="The key of the page" secret={issuedKey} onClose={onKeyCopied}>
          <p className="muted-text">Visitors enter it once on each device.</p>
        </SecretOnce>
      )}
      {warnings.length > 0 && (
        <ul className="failure">
          {warnings.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <UrlTabs
        label="About this status page"
        aside={
          <PagePreview
            title={`Preview of ${page.name}`}
            draft={statusPageProblems(form.values).length > 0 ? null : previewOf(page.id, form.values)}
            request={(draft, signal) => call('POST /v1/status-pages/previews', { body: draft }, signal)}
          />
        }
        tabs={[
          { hasAside: true, id: 'content', label: 'Content', content: edit(<ContentTab form={form} />) },
          { hasAside: true, id: 'look', label: 'Look', content: edit(<LookTab form={form} />) },
          {
            hasAside: true,
            id: 'access',
            label: 'Access',
            content: edit(<AccessTab form={form} page={page} />),
          },
          {
            hasAside: true,
            id: 'domain',
            label: 'Domain',
            content: edit(
              <DomainSection form={form} domain={page.customDomain} status={page.customDomainStatus} />,
            ),
          },
          { id: 'subscribers', label: 'Subscribers', content: <SubscribersTab page={page} /> },
          { id: 'webhooks', label: 'Webhooks', content: <WebhooksTab page={page} /> },
          { id: 'rules', label: 'Automation', content: <RulesTab page={page} /> },
          { id: 'templates', label: 'Templates', content: <Templates /> },
          {
            id: 'badges',
            label: 'Badges',
            content: (
              <BadgePanel
                choices={[
                  { name: page.name, path: `${path}/badge.svg`, opens: path },
                  ...page.components.flatMap(({ serviceId, name }) =>
                    serviceId === null
                      ? []
                      : [{ name, path: `${path}/services/${serviceId}/badge.svg`, opens: path }],
                  ),
                ]}
              />
            ),
          },
          {
            id: 'code',
            label: 'Code',
            content: (
              <div className="stack">
                <CodeBlock title="TypeScript constructs" text={pageAsConstructs(page)} />
                <TerraformBlock kind="status-page" resource={page} name={page.name} />
                <CodeBlock title="curl" text={statusPageAsCurl(page, server)} />
              </div>
            ),
          },
        ]}
      />
      <DeleteDialog
        what={`the status page “${page.name}”`}
        typed={page.url}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDelete={() => call('DELETE /v1/status-pages/{statusPageId}', { params: { statusPageId: page.id } })}
        onDeleted={() => {
          form.discard()
          showOutcome(`The status page “${page.name}” was deleted.`)
          void queries.invalidateQueries({ queryKey: ['status-pages'] })
          setTimeout(() => navigate('/status-pages'))
        }}
      >
        <p>
          Its address, subscribers, webhooks and automation rules are deleted. Incidents and services of the
          account stay; services that were created with this page are deleted with it.
        </p>
      </DeleteDialog>
    </ScreenFrame>
  )
}

function previewOf(statusPageId: string, { components, version, ...page }: PageValues) {
  return {
    statusPageId,
    page,
    components: components.map(({ name, ...component }) => ({
      ...component,
      name: name === '' ? null : name,
    })),
  }
}

const labels: Record<string, string> = {
  url: 'Address',
  components: 'Groups and services',
  redirectTo: 'The logo opens',
  isPrivate: 'Private',
  version: 'API version',
}

function labelOf(path: string): string {
  const [first = '', , last = first] = path.split('.')
  const name = labels[first] ?? first
  const words = (first === 'components' && last !== first ? last : name).replace(/([a-z])([A-Z])/g, '$1 $2')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}
