// The services of the account: which pages show them, and what opens incidents for them.
import '../status-page/status-page.css'
import { useQueryClient } from '@tanstack/react-query'
import { serviceAsCurl } from '@vedette/as-code/page-code'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { useState } from 'react'
import { Link } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { type Service, type ServiceUsage, useServices, useServiceUsage } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatList, formatNumberOf } from '../../core/format.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { serviceProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TerraformBlock } from '../../parts/terraform-block.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { PageLinks } from '../status-pages/page-links.tsx'

export function Screen() {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [search, setSearch] = useSearchParameters()
  const [edited, setEdited] = useState<Service | 'new' | null>(null)
  const [deleted, setDeleted] = useState<Service | null>(null)
  const [shown, setShown] = useState<Service | null>(null)
  const { data, error, refetch } = useServices()
  const usage = useServiceUsage()
  const filter = search.get('q') ?? ''
  const found = data?.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase())) ?? []
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: ['services'] })
    void queries.invalidateQueries({ queryKey: ['service-usage'] })
    void queries.invalidateQueries({ queryKey: ['status-pages'] })
  }
  const usageOf = (service: Service) => usage.data?.find(({ serviceId }) => serviceId === service.id)
  const create = (
    <ActionButton look="primary" denial={denialOf('READ_WRITE')} onPress={() => setEdited('new')}>
      New service
    </ActionButton>
  )
  return (
    <ScreenFrame title="Services" actions={create}>
      <PageLinks />
      {error && data === undefined ? (
        <Failure what="The services" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad />
      ) : data.length === 0 ? (
        <Empty title="No services yet">
          <p className="muted-text">
            A service is a part of your product that users know by name. Status pages show services, incidents
            name them.
          </p>
          {create}
        </Empty>
      ) : (
        <div className="stack">
          <input
            type="search"
            className="text-input subscriber-filter"
            aria-label="Filter by name"
            placeholder="Filter by name"
            value={filter}
            onChange={({ target }) =>
              setSearch(new URLSearchParams(target.value === '' ? {} : { q: target.value }))
            }
          />
          {usage.error && (
            <Failure what="Where services are used" error={usage.error} onRetry={usage.refetch} />
          )}
          {found.length === 0 ? (
            <Empty title="No service matches">
              <ActionButton onPress={() => setSearch(new URLSearchParams())}>Clear filter</ActionButton>
            </Empty>
          ) : (
            <ul className="row-list">
              {found.map((service) => (
                <li key={service.id}>
                  <div className="row-main">
                    <p>
                      <strong>{service.name}</strong>
                    </p>
                    <ProjectBadge {...service} />
                    <Usage usage={usageOf(service)} />
                  </div>
                  <div className="actions">
                    <ActionButton
                      aria-label={`Rename ${service.name}`}
                      denial={denialOf('READ_WRITE')}
                      onPress={() => setEdited(service)}
                    >
                      Rename
                    </ActionButton>
                    <ActionButton aria-label={`Code of ${service.name}`} onPress={() => setShown(service)}>
                      Code
                    </ActionButton>
                    <ActionButton
                      look="quiet"
                      aria-label={`Delete ${service.name}`}
                      denial={denialOf('READ_WRITE') ?? deletionDenial(usageOf(service))}
                      onPress={() => setDeleted(service)}
                    >
                      Delete
                    </ActionButton>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {edited !== null && (
        <Overlay
          title={edited === 'new' ? 'New service' : 'Rename service'}
          isOpen
          onClose={() => setEdited(null)}
        >
          <ServiceForm
            service={edited === 'new' ? null : edited}
            onSaved={() => {
              setEdited(null)
              refresh()
            }}
          />
        </Overlay>
      )}
      {shown !== null && <ServiceCode service={shown} onClose={() => setShown(null)} />}
      {deleted !== null && (
        <DeleteDialog
          what={`the service “${deleted.name}”`}
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() =>
            call('DELETE /v1/status-pages/services/{serviceId}', { params: { serviceId: deleted.id } })
          }
          onDeleted={() => {
            setDeleted(null)
            showOutcome(`The service “${deleted.name}” was deleted.`)
            refresh()
          }}
        >
          <DeletionEffects usage={usageOf(deleted)} />
        </DeleteDialog>
      )}
    </ScreenFrame>
  )
}

function deletionDenial(usage: ServiceUsage | undefined): string | null {
  if (usage === undefined || usage.statusPages.length === 0) return null
  return `Remove it first from ${formatList(usage.statusPages.map(({ name }) => `“${name}”`))}.`
}

function DeletionEffects({ usage }: { usage: ServiceUsage | undefined }) {
  const count = usage?.checkCount ?? 0
  return (
    <p>
      Incidents keep its name.{' '}
      {count > 0 &&
        `${formatNumberOf(count, 'check no longer opens', 'checks no longer open')} incidents for it.`}
    </p>
  )
}

function Usage({ usage }: { usage: ServiceUsage | undefined }) {
  if (usage === undefined) return null
  const { statusPages, checks, checkCount, automationRules, openIncidents } = usage
  return (
    <>
      {openIncidents > 0 && (
        <p>
          <Link href="/incidents">
            <StateLabel state="failing" label={formatNumberOf(openIncidents, 'open incident')} />
          </Link>
        </p>
      )}
      <p className="muted-text">
        {statusPages.length === 0 ? 'On no status page' : 'On '}
        {statusPages.map(({ id, name }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Link href={`/status-pages/${id}`}>{name}</Link>
          </span>
        ))}
        {' · '}
        {checkCount === 0 && automationRules.length === 0 && 'incidents are opened by hand'}
        {(checkCount > 0 || automationRules.length > 0) && 'incidents are opened by '}
        {checks.map(({ id, name }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Link href={`/checks/${id}`}>{name}</Link>
          </span>
        ))}
        {checkCount > checks.length && ` and ${checkCount - checks.length} more`}
        {checkCount > 0 && automationRules.length > 0 && ', and by '}
        {automationRules.length > 0 && `the ${automationRules.length === 1 ? 'rule' : 'rules'} `}
        {automationRules.map(({ id, name, statusPageId }, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <Link href={`/status-pages/${statusPageId}?tab=rules`}>{name}</Link>
          </span>
        ))}
      </p>
    </>
  )
}

function ServiceForm({ service, onSaved }: { service: Service | null; onSaved(): void }) {
  const { denialOf } = useSession()
  const form = useForm({
    key: `service/${service?.id ?? 'new'}`,
    saved: { name: service?.name ?? '' },
    problemsOf: serviceProblems,
    save: async (body) => {
      if (service === null) await call('POST /v1/status-pages/services', { body })
      else
        await call('PUT /v1/status-pages/services/{serviceId}', { params: { serviceId: service.id }, body })
      showOutcome(`The service “${body.name}” was saved.`)
    },
  })
  return (
    <FormFrame
      form={form}
      saveLabel={service === null ? 'Create' : 'Save'}
      isNew={service === null}
      denial={denialOf('READ_WRITE')}
      onSaved={onSaved}
    >
      <TextInput
        form={form}
        path="name"
        label="Name"
        description="As users call it: Checkout, Sign-in, API."
      />
    </FormFrame>
  )
}

function ServiceCode({ service, onClose }: { service: Service; onClose(): void }) {
  const { account } = useSession()
  const server = { origin: location.origin + basePath, accountId: account.id }
  return (
    <Overlay title={`${service.name} as code`} isOpen onClose={onClose}>
      <CodeBlock title="TypeScript construct" text={resourcesAsConstructs({ services: [service] })} />
      <TerraformBlock kind="status-page-service" resource={service} name={service.name} />
      <CodeBlock title="curl" text={serviceAsCurl(service, server)} />
    </Overlay>
  )
}
