import { incidentAsCurl } from '@vedette/as-code/page-code'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { type Incident, useServiceUsage } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatList, formatSpan } from '../../core/format.ts'
import { severities, severityOptions, statusLabels, statusOptions } from '../../core/incident-words.ts'
import { fromLocalInput, toLocalInput } from '../../core/local-time.ts'
import { Choice, TextArea, TextInput, Toggle } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { incidentDetailProblems, incidentUpdateProblems } from '../../forms/schemas/incident.ts'
import { useForm } from '../../forms/use-form.ts'
import { useLive } from '../../live/live-provider.tsx'
import { Icon } from '../../parts/icon.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Moment, Since } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { IncidentView } from './incident-view.tsx'
import { ServiceChoice } from './service-choice.tsx'

type Update = Incident['incidentUpdates'][number]

export function PageIncidentView({ incident, onChange }: { incident: Incident; onChange(): void }) {
  useLive([], { onRecent: onChange })
  const { id, lastUpdateStatus, incidentUpdates, postmortem } = incident
  const isOver = lastUpdateStatus === 'RESOLVED'
  return (
    <IncidentView
      incident={incident}
      list={{ label: 'Incidents', href: '/incidents' }}
      queryKeys={['incidents', 'status-pages', 'service-usage']}
      onChange={onChange}
      facts={<Facts incident={incident} />}
      postHeading={isOver ? 'Add an update' : 'Post an update'}
      renderPost={(onPosted) => <PostUpdate incident={incident} onPosted={onPosted} />}
      renderBelowPost={(onSaved) =>
        isOver && <Postmortem key={postmortem ?? ''} incident={incident} onSaved={onSaved} />
      }
      renderTime={({ publicIncidentUpdateDate, notifySubscribers }) => (
        <>
          <Moment at={publicIncidentUpdateDate} />
          {notifySubscribers ? ' · subscribers were notified' : ''}
        </>
      )}
      renderEditUpdate={(update, onSaved) => (
        <EditUpdate incident={incident} update={update} onSaved={onSaved} />
      )}
      renderEdit={(onSaved) => <Details incident={incident} onSaved={onSaved} />}
      asCurl={(target) => incidentAsCurl(incident, target)}
      updateDenial={
        incidentUpdates.length === 1 ? 'The last update stays. Delete the incident instead.' : null
      }
      deleteUpdate={(update) =>
        call('DELETE /v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}', {
          params: { incidentId: id, incidentUpdateId: update.id },
        })
      }
      updateDeletion={<p>Emails that were sent about it can’t be taken back.</p>}
      deleteIncident={() =>
        call('DELETE /v1/status-pages/incidents/{incidentId}', { params: { incidentId: id } })
      }
      deletion={
        <p>
          It disappears from status pages, their history and feeds, and no longer counts in the uptime. To end
          it, post an update with the status “Resolved” instead.
        </p>
      }
    />
  )
}

function Facts({ incident }: { incident: Incident }) {
  const usage = useServiceUsage()
  const { id, severity, services, lastUpdateStatus, incidentUpdates, duration } = incident
  const isOver = lastUpdateStatus === 'RESOLVED'
  const began = incidentUpdates.at(-1)?.publicIncidentUpdateDate ?? incident.created_at
  const ids = services.map((service) => service.id)
  const pages = new Map(
    usage.data
      ?.filter(({ serviceId }) => ids.includes(serviceId))
      .flatMap(({ statusPages }) => statusPages.map((page) => [page.id, page])),
  )
  return (
    <>
      <p>
        <StateLabel
          state={isOver ? 'passing' : severities[severity].state}
          label={statusLabels[lastUpdateStatus]}
        />{' '}
        <span className="muted-text">
          {duration === null ? <Since at={began} /> : `It lasted ${formatSpan(duration)}.`}
        </span>
      </p>
      <p>
        {severities[severity].label}: {severities[severity].means.toLowerCase()} of{' '}
        {formatList(
          services.map((service) => service.name),
          10,
        )}
        .
      </p>
      <p>
        {pages.size === 0 ? 'No status page shows these services.' : 'Visitors see it on '}
        {[...pages.values()].map((page, index) => (
          <span key={page.id}>
            {index > 0 && ', '}
            <a href={`${basePath}/s/${page.url}/incidents/${id}`} target="_blank" rel="noreferrer">
              {page.name} <Icon name="external" />
            </a>
          </span>
        ))}
      </p>
    </>
  )
}

/** What usually comes next. */
const nextStatus = {
  INVESTIGATING: 'IDENTIFIED',
  IDENTIFIED: 'MONITORING',
  MONITORING: 'RESOLVED',
  RESOLVED: 'RESOLVED',
} as const satisfies Record<Update['status'], Update['status']>

function PostUpdate({ incident, onPosted }: { incident: Incident; onPosted(): void }) {
  const { denialOf } = useSession()
  const form = useForm({
    key: `incident-update/${incident.id}`,
    saved: {
      status: nextStatus[incident.lastUpdateStatus],
      description: '',
      notifySubscribers: incident.incidentUpdates[0]?.notifySubscribers ?? true,
      at: '',
    },
    problemsOf: incidentUpdateProblems,
    save: async ({ at, ...body }) => {
      const date = fromLocalInput(at)
      await call('POST /v1/status-pages/incidents/{incidentId}/incident-updates', {
        params: { incidentId: incident.id },
        body: { ...body, ...(date === null ? {} : { publicIncidentUpdateDate: date }) },
      })
      showOutcome(body.status === 'RESOLVED' ? 'The incident is resolved.' : 'The update was posted.')
    },
  })
  return (
    <FormFrame
      form={form}
      saveLabel={form.values.status === 'RESOLVED' ? 'Post and resolve' : 'Post update'}
      isNew
      denial={denialOf('READ_WRITE')}
      onSaved={onPosted}
    >
      <Choice form={form} path="status" label="Status" options={statusOptions} />
      <TextArea form={form} path="description" label="Text" description="Plain text with line breaks." />
      <Toggle form={form} path="notifySubscribers" label="Notify subscribers" />
      <TextInput
        form={form}
        path="at"
        label="Time"
        type="datetime-local"
        description="In the time zone of this browser. Empty: now."
      />
    </FormFrame>
  )
}

interface EditUpdateProps {
  incident: Incident
  update: Update
  onSaved(): void
}

function EditUpdate({ incident, update, onSaved }: EditUpdateProps) {
  const { denialOf } = useSession()
  const { status, description, notifySubscribers, publicIncidentUpdateDate } = update
  const form = useForm({
    key: `incident-update/${update.id}`,
    saved: { status, description, notifySubscribers, at: toLocalInput(publicIncidentUpdateDate) },
    problemsOf: incidentUpdateProblems,
    save: async ({ at, ...body }, changes) => {
      const date = changes.some(({ path }) => path === 'at') ? fromLocalInput(at) : null
      await call('PUT /v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}', {
        params: { incidentId: incident.id, incidentUpdateId: update.id },
        body: { ...body, ...(date === null ? {} : { publicIncidentUpdateDate: date }) },
      })
      showOutcome('The update was changed.')
    },
  })
  return (
    <FormFrame form={form} saveLabel="Save" denial={denialOf('READ_WRITE')} onSaved={onSaved}>
      <Choice form={form} path="status" label="Status" options={statusOptions} />
      <TextArea form={form} path="description" label="Text" />
      <Toggle form={form} path="notifySubscribers" label="Subscribers are notified" />
      <TextInput form={form} path="at" label="Time" type="datetime-local" />
    </FormFrame>
  )
}

function Details({ incident, onSaved }: { incident: Incident; onSaved(): void }) {
  const { denialOf } = useSession()
  const { name, severity, services } = incident
  const form = useForm({
    key: `incident/${incident.id}`,
    saved: { name, severity, services: services.map(({ id }) => ({ id })) },
    problemsOf: incidentDetailProblems,
    save: async (body) => {
      await call('PUT /v1/status-pages/incidents/{incidentId}', { params: { incidentId: incident.id }, body })
      showOutcome('The incident was changed.')
    },
  })
  return (
    <FormFrame form={form} saveLabel="Save" denial={denialOf('READ_WRITE')} onSaved={onSaved}>
      <TextInput form={form} path="name" label="Name" />
      <Choice
        form={form}
        path="severity"
        label="Severity"
        options={severityOptions}
        description="It applies to all affected services."
      />
      <ServiceChoice form={form} path="services" />
    </FormFrame>
  )
}

function Postmortem({ incident, onSaved }: { incident: Incident; onSaved(): void }) {
  const { denialOf } = useSession()
  const form = useForm({
    key: `postmortem/${incident.id}`,
    saved: { postmortem: incident.postmortem },
    save: async (body) => {
      await call('PUT /v1/status-pages/incidents/{incidentId}', { params: { incidentId: incident.id }, body })
      showOutcome(body.postmortem === null ? 'The postmortem was removed.' : 'The postmortem was saved.')
    },
  })
  return (
    <FormFrame form={form} saveLabel="Save postmortem" denial={denialOf('READ_WRITE')} onSaved={onSaved}>
      <TextArea
        form={form}
        path="postmortem"
        label="Postmortem"
        rows={6}
        emptyAs={null}
        description="What happened, why, and what you changed. Shown on the page of the incident and in feeds. Empty: there is none."
      />
    </FormFrame>
  )
}
