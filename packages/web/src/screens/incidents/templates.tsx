// Incidents prepared in advance. They belong to the account, so all status pages have the same ones.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { type IncidentTemplate, useServices, useTemplates } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatList } from '../../core/format.ts'
import { severities, severityOptions, statusOptions } from '../../core/incident-words.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { Choice, TextArea, TextInput, Toggle } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { templateProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { Empty, Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { ServiceChoice } from './service-choice.tsx'

export function Templates() {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [edited, setEdited] = useState<IncidentTemplate | 'new' | null>(null)
  const [deleted, setDeleted] = useState<IncidentTemplate | null>(null)
  const { data, error, refetch } = useTemplates()
  const services = useServices()
  const open = useMutation({
    mutationFn: (templateId: string) =>
      call('POST /v1/status-pages/incident-templates/{templateId}/incidents', { params: { templateId } }),
    onSuccess: ({ id, name }) => {
      showOutcome(`The incident “${name}” is open.`)
      navigate(`/incidents/${id}`)
    },
    onError: (problem) => showOutcome(`Couldn’t open the incident: ${reasonOf(problem)}`),
  })
  if (error && data === undefined) return <Failure what="The templates" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const refresh = () => queries.invalidateQueries({ queryKey: ['incident-templates'] })
  const nameOf = (id: string) =>
    services.data?.find((service) => service.id === id)?.name ?? 'a deleted service'
  const add = (
    <ActionButton look="primary" denial={denialOf('READ_WRITE')} onPress={() => setEdited('new')}>
      Add template
    </ActionButton>
  )
  return (
    <div className="stack">
      {data.length === 0 ? (
        <Empty title="No templates yet">
          <p className="muted-text">
            A template has the name, severity, services and first update of an incident, ready for the moment
            you need it.
          </p>
          {add}
        </Empty>
      ) : (
        <>
          <ul className="row-list">
            {data.map((template) => (
              <li key={template.id}>
                <div className="row-main">
                  <p>
                    <strong>{template.name}</strong>
                  </p>
                  <p className="muted-text">
                    {severities[template.incident.severity].label}: “{template.incident.name}”,{' '}
                    {formatList(template.incident.services.map(({ id }) => nameOf(id)))}
                  </p>
                </div>
                <div className="actions">
                  <Link className="button" href={`/incidents/new?template=${template.id}`}>
                    Use
                  </Link>
                  <ActionButton
                    denial={denialOf('READ_WRITE')}
                    isPending={open.isPending && open.variables === template.id}
                    onPress={() => open.mutate(template.id)}
                  >
                    Open as it is
                  </ActionButton>
                  <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setEdited(template)}>
                    Edit
                  </ActionButton>
                  <ActionButton
                    look="quiet"
                    denial={denialOf('READ_WRITE')}
                    onPress={() => setDeleted(template)}
                  >
                    Delete
                  </ActionButton>
                </div>
              </li>
            ))}
          </ul>
          <div className="actions">{add}</div>
        </>
      )}
      {edited !== null && (
        <Overlay
          title={edited === 'new' ? 'Add template' : 'Edit template'}
          isOpen
          onClose={() => setEdited(null)}
        >
          <TemplateForm
            template={edited === 'new' ? null : edited}
            onSaved={() => {
              setEdited(null)
              void refresh()
            }}
          />
        </Overlay>
      )}
      {deleted !== null && (
        <DeleteDialog
          what={`the template “${deleted.name}”`}
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() =>
            call('DELETE /v1/status-pages/incident-templates/{templateId}', {
              params: { templateId: deleted.id },
            })
          }
          onDeleted={() => {
            setDeleted(null)
            showOutcome(`The template “${deleted.name}” was deleted.`)
            void refresh()
          }}
        >
          <p>Incidents that were opened from it stay.</p>
        </DeleteDialog>
      )}
    </div>
  )
}

function TemplateForm({ template, onSaved }: { template: IncidentTemplate | null; onSaved(): void }) {
  const { denialOf } = useSession()
  const incident = template?.incident
  const form = useForm({
    key: `template/${template?.id ?? 'new'}`,
    saved: {
      name: template?.name ?? '',
      incident: {
        name: incident?.name ?? '',
        severity: incident?.severity ?? ('MAJOR' as const),
        services: incident?.services.map(({ id }) => ({ id })) ?? [],
        incidentUpdates: [
          {
            description: incident?.incidentUpdates[0]?.description ?? '',
            status: incident?.incidentUpdates[0]?.status ?? ('INVESTIGATING' as const),
            notifySubscribers: incident?.incidentUpdates[0]?.notifySubscribers ?? true,
          },
        ],
      },
    },
    problemsOf: templateProblems,
    save: async (body) => {
      if (template === null) await call('POST /v1/status-pages/incident-templates', { body })
      else
        await call('PUT /v1/status-pages/incident-templates/{templateId}', {
          params: { templateId: template.id },
          body,
        })
      showOutcome(`The template “${body.name}” was saved.`)
    },
  })
  const update = 'incident.incidentUpdates.0'
  return (
    <FormFrame
      form={form}
      saveLabel={template === null ? 'Add' : 'Save'}
      isNew={template === null}
      denial={denialOf('READ_WRITE')}
      onSaved={onSaved}
    >
      <TextInput form={form} path="name" label="Name of the template" />
      <TextInput form={form} path="incident.name" label="Name of the incident" />
      <Choice form={form} path="incident.severity" label="Severity" options={severityOptions} />
      <ServiceChoice form={form} path="incident.services" />
      <Choice form={form} path={`${update}.status`} label="Status" options={statusOptions} />
      <TextArea form={form} path={`${update}.description`} label="First update" />
      <Toggle form={form} path={`${update}.notifySubscribers`} label="Notify subscribers" />
    </FormFrame>
  )
}
