// The editor of a dashboard, with the dashboard beside it.
import '../status-page/status-page.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { dashboardAsCurl } from '@vedette/as-code/page-code'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call, callWithWarnings } from '../../api/call.ts'
import type { Dashboard } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { Choice, NumberInput, TextArea, TextInput, Toggle, WordList } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { useLeaveGuard } from '../../forms/leave-guard.ts'
import { dashboardProblems } from '../../forms/schemas/dashboard.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DomainSection } from '../../parts/domain-section.tsx'
import { HistoryLink } from '../../parts/history-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { PagePreview } from '../../parts/page-preview.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Failure, FirstLoad, isNotFound, reasonOf } from '../../parts/states.tsx'
import { TerraformBlock } from '../../parts/terraform-block.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { UrlTabs } from '../../parts/url-tabs.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { BadgesTab } from './badges-tab.tsx'

type Values = ReturnType<typeof valuesOf>

function valuesOf(dashboard: Dashboard) {
  const { header, description, logo, favicon, customDomain, width, refreshRate, paginate } = dashboard
  const { paginationRate, checksPerPage, useTagsAndOperator, hideTags, enableIncidents, expandChecks } =
    dashboard
  const { tags, showHeader, showCheckRunLinks, showGroupNames, customCSS, isPrivate, showP95, showP99 } =
    dashboard
  return {
    ...{ description, logo, favicon, customDomain, width, refreshRate, paginate },
    ...{ paginationRate, checksPerPage, useTagsAndOperator, hideTags, enableIncidents, expandChecks },
    ...{ tags, showHeader, showCheckRunLinks, showGroupNames, customCSS, isPrivate, showP95, showP99 },
    header: header ?? '',
    customUrl: dashboard.customUrl ?? null,
    link: dashboard.link ?? null,
  }
}

export function Screen({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['dashboard', id],
    queryFn: ({ signal }) =>
      callWithWarnings('GET /v1/dashboards/{dashboardId}', { params: { dashboardId: id } }, signal),
    refetchOnWindowFocus: false,
  })
  if (data !== undefined) return <Editor dashboard={data.body} warnings={data.warnings} onChange={refetch} />
  if (isNotFound(error)) return <NotFound what="This dashboard" resourceId={id} />
  return (
    <ScreenFrame title="Dashboard">
      {error ? <Failure what="The dashboard" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

interface EditorProps {
  dashboard: Dashboard
  warnings: readonly string[]
  onChange(): void
}

function Editor({ dashboard, warnings, onChange }: EditorProps) {
  const { denialOf, account } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [saveWarnings, setSaveWarnings] = useState<readonly string[]>([])
  const params = { dashboardId: dashboard.dashboardId }
  const form = useForm<Values>({
    key: `dashboard/${dashboard.dashboardId}`,
    saved: valuesOf(dashboard),
    problemsOf: dashboardProblems,
    reload: async () => valuesOf(await call('GET /v1/dashboards/{dashboardId}', { params })),
    save: async (body, changes) => {
      const saved = await callWithWarnings('PUT /v1/dashboards/{dashboardId}', { params, body })
      setSaveWarnings(saved.warnings)
      const known = new Set(dashboard.keys.map(({ id }) => id))
      setSecret(saved.body.keys.find(({ id }) => !known.has(id))?.rawKey ?? null)
      showOutcome(`Saved: ${formatNumberOf(changes.length, 'change')}.`)
    },
  })
  const latestDiscard = useRef(form.discard)
  latestDiscard.current = form.discard
  useLeaveGuard(
    form.isChanged,
    useCallback(() => latestDiscard.current(), []),
  )
  const edit = (content: ReactNode) => (
    <FormFrame
      form={form}
      saveLabel="Save"
      denial={denialOf('READ_WRITE')}
      onSaved={() => {
        onChange()
        void queries.invalidateQueries({ queryKey: ['dashboards'] })
      }}
    >
      {content}
    </FormFrame>
  )
  const path = `/d/${dashboard.customUrl ?? dashboard.dashboardId}`
  const name = dashboard.header ?? dashboard.dashboardId
  const server = { origin: location.origin + basePath, accountId: account.id }
  return (
    <ScreenFrame
      title={name}
      trail={<Link href="/dashboards">Dashboards</Link>}
      actions={
        <>
          <HistoryLink resourceId={dashboard.dashboardId} />
          <a className="button" href={basePath + path} target="_blank" rel="noreferrer">
            Open the dashboard <Icon name="external" />
          </a>
          <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setDeleting(true)}>
            Delete
          </ActionButton>
        </>
      }
    >
      <ProjectBadge {...dashboard} />
      {secret !== null && (
        <SecretOnce
          what="The key of the dashboard"
          secret={secret}
          onClose={() => setSecret(null)}
          canReadLater
        />
      )}
      {[...new Set([...warnings, ...saveWarnings])].map((sentence) => (
        <p key={sentence} className="failure">
          {sentence}
        </p>
      ))}
      <UrlTabs
        label="About this dashboard"
        aside={
          <PagePreview
            title={`Preview of ${name}`}
            draft={
              dashboardProblems(form.values).length > 0
                ? null
                : { dashboardId: dashboard.dashboardId, dashboard: form.values }
            }
            request={(draft, signal) => call('POST /v1/dashboards/previews', { body: draft }, signal)}
          />
        }
        tabs={[
          {
            id: 'content',
            label: 'Content',
            hasAside: true,
            content: edit(
              <>
                <TextInput form={form} path="header" label="Name" description="Shown at the top." />
                <TextArea form={form} path="description" label="Description" rows={2} emptyAs={null} />
                <WordList
                  form={form}
                  path="tags"
                  label="Tags"
                  description="Checks with these tags are shown; tags of groups count. None: all checks."
                />
                <Toggle form={form} path="useTagsAndOperator" label="Only checks that have all of the tags" />
                <Toggle form={form} path="showGroupNames" label="Show names of groups" />
                <Toggle form={form} path="hideTags" label="Hide tags" />
                <Toggle form={form} path="showP95" label="Show P95" />
                <Toggle form={form} path="showP99" label="Show P99" />
                <Toggle form={form} path="expandChecks" label="Large charts" />
                <Toggle
                  form={form}
                  path="enableIncidents"
                  label="Show incidents"
                  description="They have a tab of their own."
                />
                <Toggle
                  form={form}
                  path="showCheckRunLinks"
                  label="Link runs to their evidence"
                  description="Visitors see requests, responses and error messages of the last runs."
                />
              </>,
            ),
          },
          {
            id: 'look',
            label: 'Look',
            hasAside: true,
            content: edit(
              <>
                <Toggle form={form} path="showHeader" label="Show name and description" />
                <Choice
                  form={form}
                  path="width"
                  label="Width"
                  options={[
                    { value: 'FULL', label: 'Full screen' },
                    { value: '960PX', label: 'Centered, 960 px' },
                  ]}
                />
                <Choice
                  form={form}
                  path="refreshRate"
                  label="New figures every"
                  options={[
                    { value: 60, label: 'Minute' },
                    { value: 300, label: '5 minutes' },
                    { value: 600, label: '10 minutes' },
                  ]}
                />
                <Toggle
                  form={form}
                  path="paginate"
                  label="In pages"
                  description="Otherwise all checks are on one."
                />
                {form.values.paginate && (
                  <div className="field-row">
                    <NumberInput form={form} path="checksPerPage" label="Checks per page" min={1} max={20} />
                    <Choice
                      form={form}
                      path="paginationRate"
                      label="The next page after"
                      options={[
                        { value: 30, label: '30 seconds' },
                        { value: 60, label: '1 minute' },
                        { value: 300, label: '5 minutes' },
                      ]}
                    />
                  </div>
                )}
                <TextInput
                  form={form}
                  path="logo"
                  label="Logo"
                  type="url"
                  emptyAs={null}
                  placeholder="https://"
                  description="The server fetches it after you save."
                />
                <TextInput
                  form={form}
                  path="favicon"
                  label="Icon"
                  type="url"
                  emptyAs={null}
                  placeholder="https://"
                />
                <TextInput
                  form={form}
                  path="link"
                  label="The logo opens"
                  type="url"
                  emptyAs={null}
                  placeholder="https://"
                />
                <TextArea
                  form={form}
                  path="customCSS"
                  label="CSS"
                  rows={8}
                  isMono
                  description="It applies to the content of the page. @import, @font-face, url() and fixed positions are left out."
                />
              </>,
            ),
          },
          {
            id: 'access',
            label: 'Access',
            hasAside: true,
            content: (
              <div className="stack">
                {edit(
                  <>
                    <TextInput
                      form={form}
                      path="customUrl"
                      label="Address"
                      emptyAs={null}
                      isMono
                      description={`${location.origin}${basePath}/d/${form.values.customUrl ?? dashboard.dashboardId}`}
                    />
                    <DomainSection
                      form={form}
                      domain={dashboard.customDomain}
                      status={dashboard.customDomainStatus}
                    />
                    <Toggle
                      form={form}
                      path="isPrivate"
                      label="Private"
                      description="Visitors need a key. The first one is created when you save, and shown once."
                    />
                  </>,
                )}
                <Keys dashboard={dashboard} onIssued={setSecret} onChange={onChange} />
              </div>
            ),
          },
          { id: 'badges', label: 'Badges', content: <BadgesTab tags={dashboard.tags} /> },
          {
            id: 'code',
            label: 'Code',
            content: (
              <div className="stack">
                <CodeBlock
                  title="TypeScript construct"
                  text={resourcesAsConstructs({ dashboards: [dashboard] })}
                />
                <TerraformBlock
                  kind="dashboard"
                  resource={dashboard}
                  name={dashboard.header || 'dashboard'}
                />
                <CodeBlock title="curl" text={dashboardAsCurl(dashboard, server)} />
              </div>
            ),
          },
        ]}
      />
      <DeleteDialog
        what={`the dashboard “${name}”`}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDelete={() => call('DELETE /v1/dashboards/{dashboardId}', { params })}
        onDeleted={() => {
          form.discard()
          showOutcome(`The dashboard “${name}” was deleted.`)
          void queries.invalidateQueries({ queryKey: ['dashboards'] })
          setTimeout(() => navigate('/dashboards'))
        }}
      >
        <p>Its address, keys and incidents are deleted. The checks stay.</p>
      </DeleteDialog>
    </ScreenFrame>
  )
}

interface KeysProps {
  dashboard: Dashboard
  onIssued(secret: string): void
  onChange(): void
}

const maxKeys = 10

function Keys({ dashboard, onIssued, onChange }: KeysProps) {
  const { denialOf } = useSession()
  const [deleted, setDeleted] = useState<Dashboard['keys'][number] | null>(null)
  const { dashboardId, keys, isPrivate } = dashboard
  const issue = useMutation({
    mutationFn: () => call('POST /v1/dashboards/{dashboardId}/keys', { params: { dashboardId } }),
    onSuccess: ({ rawKey }) => {
      onIssued(rawKey)
      onChange()
    },
    onError: (error) => showOutcome(`Couldn’t create a key: ${reasonOf(error)}`),
  })
  return (
    <section aria-labelledby="keys-heading">
      <h2 id="keys-heading">Keys</h2>
      <div className="stack">
        <p className="muted-text">
          {isPrivate
            ? 'Each opens the dashboard. Give one to each team or screen.'
            : 'They are needed while the dashboard is private.'}
        </p>
        {keys.length > 0 && (
          <ul className="row-list">
            {keys.map((key) => (
              <li key={key.id}>
                <code>{key.maskedKey}</code>
                <span className="muted-text">
                  Created <RelativeTime at={key.created_at} />
                </span>
                {key.rawKey !== undefined && <CopyButton text={key.rawKey} label="Copy key" />}
                <ActionButton look="quiet" denial={denialOf('READ_WRITE')} onPress={() => setDeleted(key)}>
                  Delete
                </ActionButton>
              </li>
            ))}
          </ul>
        )}
        <div>
          <ActionButton
            denial={
              denialOf('READ_WRITE') ??
              (keys.length >= maxKeys ? `A dashboard has at most ${maxKeys} keys.` : null)
            }
            isPending={issue.isPending}
            onPress={() => issue.mutate()}
          >
            Create key
          </ActionButton>
        </div>
      </div>
      {deleted !== null && (
        <DeleteDialog
          what={`the key ${deleted.maskedKey}`}
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() =>
            call('DELETE /v1/dashboards/{dashboardId}/keys/{keyId}', {
              params: { dashboardId, keyId: deleted.id },
            })
          }
          onDeleted={() => {
            setDeleted(null)
            showOutcome('The key was deleted.')
            onChange()
          }}
        >
          <p>Everyone who opened the dashboard with it needs another one.</p>
        </DeleteDialog>
      )}
    </section>
  )
}
