import { useQueryClient } from '@tanstack/react-query'
import { dashboardIncidentAsCurl } from '@vedette/as-code/page-code'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { type DashboardIncident, useDashboards } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatSpan } from '../../core/format.ts'
import { impactOptions, impacts, statusLabels } from '../../core/incident-words.ts'
import { fromLocalInput, toLocalInput } from '../../core/local-time.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { Choice, TextArea, TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { dashboardUpdateProblems } from '../../forms/schemas/incident.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { HistoryLink } from '../../parts/history-link.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment, Since } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

type Update = DashboardIncident['incidentUpdates'][number]

const statusOptions = (['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED', 'MAINTENANCE'] as const).map(
  (value) => ({ value, label: statusLabels[value] }),
)

interface Props {
  incident: DashboardIncident
  onChange(): void
}

export function DashboardIncidentView({ incident, onChange }: Props) {
  const { denialOf, account } = useSession()
  const queries = useQueryClient()
  const dashboards = useDashboards()
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<'edit' | 'delete' | 'code' | null>(null)
  const [edited, setEdited] = useState<Update | null>(null)
  const [deleted, setDeleted] = useState<Update | null>(null)
  const [posts, setPosts] = useState(0)
  const { id, name, impact, startedAt, stoppedAt, incidentUpdates, dashboardId } = incident
  const dashboard = dashboards.data?.find((one) => one.id === dashboardId)
  const status = incidentUpdates[0]?.status
  const refresh = () => {
    onChange()
    void queries.invalidateQueries({ queryKey: ['dashboard-incidents'] })
  }
  const close = () => setOpened(null)
  return (
    <ScreenFrame
      title={name}
      trail={<Link href="/incidents?tab=dashboards">Incidents on dashboards</Link>}
      actions={
        <>
          <HistoryLink resourceId={id} />
          <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setOpened('edit')}>
            Edit
          </ActionButton>
          <ActionButton onPress={() => setOpened('code')}>Code</ActionButton>
          <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setOpened('delete')}>
            Delete
          </ActionButton>
        </>
      }
    >
      <div className="incident-facts">
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
      </div>
      <div className="incident-columns">
        <section aria-labelledby="post-heading">
          <h2 id="post-heading">Post an update</h2>
          <PostUpdate
            key={posts}
            incident={incident}
            onPosted={() => {
              setPosts((before) => before + 1)
              refresh()
            }}
          />
        </section>
        <section aria-labelledby="timeline-heading">
          <h2 id="timeline-heading">Updates</h2>
          <ol className="timeline">
            {incidentUpdates.map((update) => (
              <li key={update.id}>
                <div className="update-head">
                  <strong>{statusLabels[update.status]}</strong>
                  <span className="muted-text">
                    <Moment at={update.created_at} />
                  </span>
                </div>
                <p className="words">{update.description}</p>
                <div className="actions">
                  <ActionButton
                    look="quiet"
                    denial={denialOf('READ_WRITE')}
                    onPress={() => setEdited(update)}
                  >
                    Edit
                  </ActionButton>
                  <ActionButton
                    look="quiet"
                    denial={denialOf('READ_WRITE')}
                    onPress={() => setDeleted(update)}
                  >
                    Delete
                  </ActionButton>
                </div>
              </li>
            ))}
          </ol>
        </section>
      </div>
      {opened === 'edit' && (
        <Overlay title="Edit the incident" isOpen onClose={close}>
          <Details
            incident={incident}
            onChange={() => {
              close()
              refresh()
            }}
          />
        </Overlay>
      )}
      {opened === 'code' && (
        <Overlay title="Incident as code" isOpen onClose={close}>
          <CodeBlock
            title="curl"
            text={dashboardIncidentAsCurl(incident, {
              origin: location.origin + basePath,
              accountId: account.id,
            })}
          />
        </Overlay>
      )}
      {edited !== null && (
        <Overlay title="Edit the update" isOpen onClose={() => setEdited(null)}>
          <EditUpdate
            incidentId={id}
            update={edited}
            onSaved={() => {
              setEdited(null)
              refresh()
            }}
          />
        </Overlay>
      )}
      {deleted !== null && (
        <DeleteDialog
          what="this update"
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() =>
            call('DELETE /v1/incidents/{incidentId}/updates/{id}', {
              params: { incidentId: id, id: deleted.id },
            })
          }
          onDeleted={() => {
            setDeleted(null)
            showOutcome('The update was deleted.')
            refresh()
          }}
        />
      )}
      <DeleteDialog
        what={`the incident “${name}”`}
        isOpen={opened === 'delete'}
        onClose={close}
        onDelete={() => call('DELETE /v1/incidents/{id}', { params: { id } })}
        onDeleted={() => {
          showOutcome(`The incident “${name}” was deleted.`)
          void queries.invalidateQueries({ queryKey: ['dashboard-incidents'] })
          navigate('/incidents?tab=dashboards')
        }}
      >
        <p>It disappears from the dashboard, with all its updates.</p>
      </DeleteDialog>
    </ScreenFrame>
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
