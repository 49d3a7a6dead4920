import { dashboardIncidentAsCurl } from '@vedette/as-code/page-code'
import { Link } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { type DashboardIncident, useDashboards } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatSpan } from '../../core/format.ts'
import { impactOptions, impacts, statusLabels } from '../../core/incident-words.ts'
import { fromLocalInput, toLocalInput } from '../../core/local-time.ts'
import { Choice, TextArea, TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { dashboardUpdateProblems } from '../../forms/schemas/incident.ts'
import { useForm } from '../../forms/use-form.ts'
import { Icon } from '../../parts/icon.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment, Since } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { IncidentView } from './incident-view.tsx'

type Update = DashboardIncident['incidentUpdates'][number]

const statusOptions = (['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED', 'MAINTENANCE'] as const).map(
  (value) => ({ value, label: statusLabels[value] }),
)

interface Props {
  incident: DashboardIncident
  onChange(): void
}

export function DashboardIncidentView({ incident, onChange }: Props) {
  const { id } = incident
  return (
    <IncidentView
      incident={incident}
      list={{ label: 'Incidents on dashboards', href: '/incidents?tab=dashboards' }}
      queryKeys={['dashboard-incidents']}
      onChange={onChange}
      facts={<Facts incident={incident} />}
      postHeading="Post an update"
      renderPost={(onPosted) => <PostUpdate incident={incident} onPosted={onPosted} />}
      renderTime={({ created_at }) => <Moment at={created_at} />}
      renderEditUpdate={(update, onSaved) => <EditUpdate incidentId={id} update={update} onSaved={onSaved} />}
      renderEdit={(onSaved) => <Details incident={incident} onChange={onSaved} />}
      asCurl={(target) => dashboardIncidentAsCurl(incident, target)}
      deleteUpdate={(update) =>
        call('DELETE /v1/incidents/{incidentId}/updates/{id}', {
          params: { incidentId: id, id: update.id },
        })
      }
      deleteIncident={() => call('DELETE /v1/incidents/{id}', { params: { id } })}
      deletion={<p>It disappears from the dashboard, with all its updates.</p>}
    />
  )
}

function Facts({ incident }: { incident: DashboardIncident }) {
  const dashboards = useDashboards()
  const { impact, startedAt, stoppedAt, incidentUpdates, dashboardId } = incident
  const dashboard = dashboards.data?.find((one) => one.id === dashboardId)
  const status = incidentUpdates[0]?.status
  return (
    <>
      <p>
        <StateLabel
          state={stoppedAt === null ? impacts[impact].state : 'passing'}
          label={status === undefined ? impacts[impact].label : statusLabels[status]}
        />{' '}
        <span className="muted-text">
          {stoppedAt === null ? (
            <Since at={startedAt} />
          ) : (
            `It lasted ${formatSpan(Date.parse(stoppedAt) - Date.parse(startedAt))}.`
          )}
        </span>
      </p>
      {dashboard && (
        <p>
          {impacts[impact].label} impact, on the dashboard{' '}
          <Link href={`/dashboards/${dashboard.dashboardId}`}>
            {dashboard.header ?? dashboard.dashboardId}
          </Link>
          .{' '}
          {dashboard.enableIncidents ? (
            <a
              href={`${basePath}/d/${dashboard.customUrl ?? dashboard.dashboardId}/incidents`}
              target="_blank"
              rel="noreferrer"
            >
              As visitors see it <Icon name="external" />
            </a>
          ) : (
            'The dashboard doesn’t show incidents: switch them on in its editor.'
          )}
        </p>
      )}
    </>
  )
}

function PostUpdate({ incident, onPosted }: { incident: DashboardIncident; onPosted(): void }) {
  const { denialOf } = useSession()
  const form = useForm({
    key: `dashboard-incident-update/${incident.id}`,
    saved: {
      status: incident.stoppedAt === null ? ('RESOLVED' as const) : ('INVESTIGATING' as const),
      description: '',
    },
    problemsOf: dashboardUpdateProblems,
    save: async (body) => {
      await call('POST /v1/incidents/{incidentId}/updates', { params: { incidentId: incident.id }, body })
      showOutcome('The update was posted.')
    },
  })
  return (
    <FormFrame form={form} saveLabel="Post update" isNew denial={denialOf('READ_WRITE')} onSaved={onPosted}>
      <Choice form={form} path="status" label="Status" options={statusOptions} />
      <TextArea form={form} path="description" label="Text" />
    </FormFrame>
  )
}

interface EditUpdateProps {
  incidentId: string
  update: Update
  onSaved(): void
}

function EditUpdate({ incidentId, update, onSaved }: EditUpdateProps) {
  const { denialOf } = useSession()
  const form = useForm({
    key: `dashboard-incident-update/${update.id}`,
    saved: { description: update.description },
    problemsOf: ({ description }) => dashboardUpdateProblems({ status: update.status, description }),
    save: async (body) => {
      await call('PUT /v1/incidents/{incidentId}/updates/{id}', {
        params: { incidentId, id: update.id },
        body,
      })
      showOutcome('The update was changed.')
    },
  })
  return (
    <FormFrame form={form} saveLabel="Save" denial={denialOf('READ_WRITE')} onSaved={onSaved}>
      <TextArea form={form} path="description" label="Text" />
    </FormFrame>
  )
}

function Details({ incident, onChange }: Props) {
  const { denialOf } = useSession()
  const { name, impact, startedAt, stoppedAt } = incident
  const form = useForm({
    key: `dashboard-incident/${incident.id}`,
    saved: {
      ...{ name, impact, began: toLocalInput(startedAt) },
      ended: stoppedAt === null ? '' : toLocalInput(stoppedAt),
    },
    problemsOf: (values) => (values.name === '' ? [{ path: 'name', message: 'is required' }] : []),
    save: async (values, changes) => {
      const isChanged = (path: string) => changes.some((change) => change.path === path)
      const began = fromLocalInput(values.began)
      await call('PUT /v1/incidents/{id}', {
        params: { id: incident.id },
        body: {
          ...{ name: values.name, impact: values.impact },
          ...(isChanged('began') && began !== null ? { startedAt: began } : {}),
          ...(isChanged('ended') ? { stoppedAt: fromLocalInput(values.ended) } : {}),
        },
      })
      showOutcome('The incident was changed.')
    },
  })
  return (
    <FormFrame form={form} saveLabel="Save" denial={denialOf('READ_WRITE')} onSaved={onChange}>
      <TextInput form={form} path="name" label="Name" />
      <Choice form={form} path="impact" label="Impact" options={impactOptions} />
      <TextInput form={form} path="began" label="Began" type="datetime-local" />
      <TextInput
        form={form}
        path="ended"
        label="Ended"
        type="datetime-local"
        description="Empty: it is open. The update that resolves it sets this time."
      />
    </FormFrame>
  )
}
