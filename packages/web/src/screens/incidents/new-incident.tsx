// Opens an incident on status pages, or on a dashboard.
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import {
  type IncidentTemplate,
  useDashboards,
  useServices,
  useServiceUsage,
  useTemplates,
} from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatList } from '../../core/format.ts'
import { impactOptions, severityOptions, statusLabels, statusOptions } from '../../core/incident-words.ts'
import { fromLocalInput } from '../../core/local-time.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { Choice, TextArea, TextInput, Toggle } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { dashboardIncidentProblems, incidentProblems } from '../../forms/schemas/incident.ts'
import { useForm } from '../../forms/use-form.ts'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { ServiceChoice } from './service-choice.tsx'

export function Screen() {
  const [search, setSearch] = useSearchParameters()
  const isOnDashboard = search.get('on') === 'dashboard'
  return (
    <ScreenFrame title="Open an incident" trail={<Link href="/incidents">Incidents</Link>}>
      <div className="stack">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
        <div className="filter-bar" role="group" aria-label="Where it is shown">
          {[false, true].map((one) => (
            <button
              key={String(one)}
              type="button"
              className="chip"
              aria-pressed={one === isOnDashboard}
              onClick={() => setSearch(new URLSearchParams(one ? { on: 'dashboard' } : {}))}
            >
              {one ? 'On a dashboard' : 'On status pages'}
            </button>
          ))}
        </div>
        {isOnDashboard ? <DashboardForm /> : <FromTemplate />}
      </div>
    </ScreenFrame>
  )
}

function FromTemplate() {
  const [search, setSearch] = useSearchParameters()
  const templates = useTemplates()
  const services = useServices()
  const chosen = search.get('template')
  if (templates.error && templates.data === undefined)
    return <Failure what="The templates" error={templates.error} onRetry={templates.refetch} />
  if (templates.data === undefined || services.data === undefined) return <FirstLoad />
  if (services.data.length === 0)
    return (
      <Empty title="An incident needs a service">
        <p className="muted-text">
          Incidents name the services that are affected. Status pages show them there.
        </p>
        <Link className="button primary" href="/services">
          Create a service
        </Link>
      </Empty>
    )
  const template = templates.data.find(({ id }) => id === chosen) ?? null
  return (
    <>
      {templates.data.length > 0 && (
        <label className="check-box">
          Template
          <select
            value={template?.id ?? ''}
            onChange={({ target }) =>
              setSearch(new URLSearchParams(target.value === '' ? {} : { template: target.value }))
            }
          >
            <option value="">None</option>
            {templates.data.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <PageForm
        key={template?.id ?? 'blank'}
        template={template}
        knownIds={services.data.map(({ id }) => id)}
      />
    </>
  )
}

interface PageFormProps {
  template: IncidentTemplate | null
  knownIds: readonly string[]
}

function PageForm({ template, knownIds }: PageFormProps) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const usage = useServiceUsage()
  const [, navigate] = useLocation()
  const createdId = useRef('')
  const incident = template?.incident
  const update = incident?.incidentUpdates[0]
  const form = useForm({
    key: `incident/new/${template?.id ?? 'blank'}`,
    saved: {
      name: incident?.name ?? '',
      severity: incident?.severity ?? ('MAJOR' as const),
      // One that was deleted since can't be affected.
      services: incident?.services.filter(({ id }) => knownIds.includes(id)).map(({ id }) => ({ id })) ?? [],
      incidentUpdates: [
        {
          description: update?.description ?? '',
          status: update?.status ?? ('INVESTIGATING' as const),
          notifySubscribers: update?.notifySubscribers ?? true,
        },
      ],
      began: '',
    },
    problemsOf: incidentProblems,
    save: async ({ began, ...body }) => {
      const at = fromLocalInput(began)
      const [first] = body.incidentUpdates
      const made = await call('POST /v1/status-pages/incidents', {
        body: {
          ...body,
          incidentUpdates:
            first === undefined
              ? []
              : [{ ...first, ...(at === null ? {} : { publicIncidentUpdateDate: at }) }],
        },
      })
      createdId.current = made.id
      showOutcome(`The incident “${made.name}” is open.`)
    },
  })
  const chosen = form.values.services.map(({ id }) => id)
  const pages = usage.data
    ?.filter(({ serviceId }) => chosen.includes(serviceId))
    .flatMap(({ statusPages }) => statusPages.map(({ name }) => name))
  const names = [...new Set(pages)]
  const first = 'incidentUpdates.0'
  return (
    <FormFrame
      form={form}
      saveLabel="Open the incident"
      isNew
      denial={denialOf('READ_WRITE')}
      labelOf={(path) => labels[path.split('.').at(-1) ?? ''] ?? path}
      onSaved={() => {
        void queries.invalidateQueries({ queryKey: ['incidents'] })
        void queries.invalidateQueries({ queryKey: ['status-pages'] })
        void queries.invalidateQueries({ queryKey: ['service-usage'] })
        navigate(`/incidents/${createdId.current}`)
      }}
    >
      <TextInput form={form} path="name" label="Name" placeholder="Checkout is slow" />
      <div className="field-row">
        <Choice form={form} path="severity" label="Severity" options={severityOptions} />
        <Choice form={form} path={`${first}.status`} label="Status" options={statusOptions} />
      </div>
      <ServiceChoice form={form} path="services" />
      <TextArea
        form={form}
        path={`${first}.description`}
        label="First update"
        description="What users notice, and what you do about it. Plain text with line breaks."
      />
      <Toggle
        form={form}
        path={`${first}.notifySubscribers`}
        label="Notify subscribers"
        description={
          names.length === 0
            ? chosen.length === 0
              ? 'By email, those of the pages that show the services.'
              : 'No status page shows these services: nobody sees the incident.'
            : `By email, those of ${formatList(names.map((name) => `“${name}”`))}.`
        }
      />
      <TextInput
        form={form}
        path="began"
        label="Began"
        type="datetime-local"
        description="In the time zone of this browser. Empty: now."
      />
    </FormFrame>
  )
}

const labels: Record<string, string> = {
  name: 'Name',
  severity: 'Severity',
  services: 'Affected services',
  description: 'First update',
  status: 'Status',
  notifySubscribers: 'Notify subscribers',
  incidentUpdates: 'First update',
  began: 'Began',
  dashboardId: 'Dashboard',
  impact: 'Impact',
  startedAt: 'Began',
}

const dashboardStatuses = (
  ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED', 'MAINTENANCE'] as const
).map((value) => ({ value, label: statusLabels[value] }))

function DashboardForm() {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const dashboards = useDashboards()
  const createdId = useRef('')
  const form = useForm({
    key: 'dashboard-incident/new',
    saved: {
      name: '',
      impact: 'MINOR' as const,
      dashboardId: null,
      incidentUpdates: [{ status: 'INVESTIGATING' as const, description: '' }],
      began: '',
    },
    problemsOf: dashboardIncidentProblems,
    save: async ({ began, dashboardId, ...body }) => {
      const at = fromLocalInput(began)
      const made = await call('POST /v1/incidents', {
        body: { ...body, dashboardId: Number(dashboardId), ...(at === null ? {} : { startedAt: at }) },
      })
      createdId.current = made.id
      showOutcome(`The incident “${made.name}” is open.`)
    },
  })
  if (dashboards.error && dashboards.data === undefined)
    return <Failure what="The dashboards" error={dashboards.error} onRetry={dashboards.refetch} />
  if (dashboards.data === undefined) return <FirstLoad />
  if (dashboards.data.length === 0)
    return (
      <Empty title="There is no dashboard yet">
        <Link className="button primary" href="/dashboards">
          Create a dashboard
        </Link>
      </Empty>
    )
  const chosen = dashboards.data.find(({ id }) => id === form.values.dashboardId)
  return (
    <FormFrame
      form={form}
      saveLabel="Open the incident"
      isNew
      denial={denialOf('READ_WRITE')}
      labelOf={(path) => labels[path.split('.').at(-1) ?? ''] ?? path}
      onSaved={() => {
        void queries.invalidateQueries({ queryKey: ['dashboard-incidents'] })
        navigate(`/incidents/${createdId.current}`)
      }}
    >
      <Choice
        form={form}
        path="dashboardId"
        label="Dashboard"
        options={dashboards.data.map(({ id, header, dashboardId }) => ({
          value: id,
          label: header ?? dashboardId,
        }))}
        {...(chosen?.enableIncidents === false
          ? { description: 'This dashboard doesn’t show incidents. Switch them on in its editor.' }
          : {})}
      />
      <TextInput form={form} path="name" label="Name" />
      <div className="field-row">
        <Choice form={form} path="impact" label="Impact" options={impactOptions} />
        <Choice form={form} path="incidentUpdates.0.status" label="Status" options={dashboardStatuses} />
      </div>
      <TextArea form={form} path="incidentUpdates.0.description" label="First update" />
      <TextInput
        form={form}
        path="began"
        label="Began"
        type="datetime-local"
        description="In the time zone of this browser. Empty: now."
      />
    </FormFrame>
  )
}
