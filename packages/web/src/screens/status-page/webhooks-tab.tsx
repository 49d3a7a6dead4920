import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type ResponseTo } from '../../api/call.ts'
import type { StatusPage } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { ManyOf, TextInput, Toggle } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { webhookProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

type Webhook = ResponseTo<'GET /v1/status-pages/{statusPageId}/webhooks'>[number]

const eventOptions = [
  { value: 'INCIDENT_OPENED' as const, label: 'Incident opened' },
  { value: 'INCIDENT_UPDATED' as const, label: 'Incident updated' },
  { value: 'INCIDENT_RESOLVED' as const, label: 'Incident resolved' },
]

const eventLabel = (event: string) => eventOptions.find(({ value }) => value === event)?.label ?? event
const keyOf = (pageId: string) => ['page-webhooks', pageId]

export function WebhooksTab({ page }: { page: StatusPage }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [edited, setEdited] = useState<Webhook | 'new' | null>(null)
  const [deleted, setDeleted] = useState<Webhook | null>(null)
  const [listed, setListed] = useState<Webhook | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(page.id),
    queryFn: ({ signal }) =>
      call('GET /v1/status-pages/{statusPageId}/webhooks', { params: { statusPageId: page.id } }, signal),
  })
  if (error && data === undefined) return <Failure what="The webhooks" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const refresh = () => queries.invalidateQueries({ queryKey: keyOf(page.id) })
  const add = (
    <ActionButton look="primary" denial={denialOf('READ_WRITE')} onPress={() => setEdited('new')}>
      Add webhook
    </ActionButton>
  )
  return (
    <div className="stack">
      {secret !== null && (
        <SecretOnce what="The secret of the signatures" secret={secret} onClose={() => setSecret(null)} />
      )}
      {data.length === 0 ? (
        <Empty title="No webhooks yet">
          <p className="muted-text">
            A webhook receives a signed request when an incident of this page changes.
          </p>
          {add}
        </Empty>
      ) : (
        <>
          <ul className="row-list">
            {data.map((webhook) => (
              <li key={webhook.id}>
                <div className="row-main">
                  <p>
                    <strong>{webhook.name}</strong>{' '}
                    {webhook.activated ? null : <StateLabel state="inactive" label="Switched off" />}
                  </p>
                  <p className="muted-text">{webhook.url}</p>
                  <p className="muted-text">{webhook.events.map(eventLabel).join(', ')}</p>
                  {webhook.deactivatedReason && <p>{webhook.deactivatedReason}</p>}
                </div>
                <div className="actions">
                  <TestButton page={page} webhook={webhook} />
                  <ActionButton onPress={() => setListed(webhook)}>Deliveries</ActionButton>
                  <ActionButton denial={denialOf('READ_WRITE')} onPress={() => setEdited(webhook)}>
                    Edit
                  </ActionButton>
                  <ActionButton
                    look="quiet"
                    denial={denialOf('READ_WRITE')}
                    onPress={() => setDeleted(webhook)}
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
          title={edited === 'new' ? 'Add webhook' : 'Edit webhook'}
          isOpen
          onClose={() => setEdited(null)}
        >
          <WebhookForm
            page={page}
            webhook={edited === 'new' ? null : edited}
            onSaved={(issued) => {
              setEdited(null)
              setSecret(issued)
              void refresh()
            }}
          />
        </Overlay>
      )}
      {listed !== null && <Deliveries page={page} webhook={listed} onClose={() => setListed(null)} />}
      {deleted !== null && (
        <DeleteDialog
          what={`the webhook “${deleted.name}”`}
          isOpen
          onClose={() => setDeleted(null)}
          onDelete={() =>
            call('DELETE /v1/status-pages/{statusPageId}/webhooks/{webhookId}', {
              params: { statusPageId: page.id, webhookId: deleted.id },
            })
          }
          onDeleted={() => {
            setDeleted(null)
            showOutcome(`The webhook “${deleted.name}” was deleted.`)
            void refresh()
          }}
        >
          <p>Its list of deliveries is deleted too. What waits to be sent is not sent any more.</p>
        </DeleteDialog>
      )}
    </div>
  )
}

function TestButton({ page, webhook }: { page: StatusPage; webhook: Webhook }) {
  const { denialOf } = useSession()
  const test = useMutation({
    mutationFn: () =>
      call('POST /v1/status-pages/{statusPageId}/webhooks/{webhookId}/test', {
        params: { statusPageId: page.id, webhookId: webhook.id },
      }),
    onSuccess: ({ status, result }) =>
      showOutcome(
        status === 'SUCCESS' ? `The test event was accepted: ${result}` : `It was refused: ${result}`,
      ),
    onError: (error) => showOutcome(`Couldn’t send the test event: ${reasonOf(error)}`),
  })
  return (
    <ActionButton denial={denialOf('READ_WRITE')} isPending={test.isPending} onPress={() => test.mutate()}>
      Send test
    </ActionButton>
  )
}

interface WebhookFormProps {
  page: StatusPage
  webhook: Webhook | null
  onSaved(secret: string | null): void
}

function WebhookForm({ page, webhook, onSaved }: WebhookFormProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const form = useForm({
    key: `webhook/${page.id}/${webhook?.id ?? 'new'}`,
    saved: {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      events: webhook?.events ?? eventOptions.map(({ value }) => value),
      activated: webhook?.activated ?? true,
    },
    problemsOf: webhookProblems,
    save: async (body) => {
      if (webhook === null) {
        const made = await call('POST /v1/status-pages/{statusPageId}/webhooks', {
          params: { statusPageId: page.id },
          body,
        })
        setSecret(made.secret)
      } else
        await call('PUT /v1/status-pages/{statusPageId}/webhooks/{webhookId}', {
          params: { statusPageId: page.id, webhookId: webhook.id },
          body,
        })
      showOutcome(`The webhook “${body.name}” was saved.`)
    },
  })
  const { denialOf } = useSession()
  return (
    <FormFrame
      form={form}
      saveLabel={webhook === null ? 'Add' : 'Save'}
      isNew={webhook === null}
      denial={denialOf('READ_WRITE')}
      onSaved={() => onSaved(secret)}
    >
      <TextInput form={form} path="name" label="Name" />
      <TextInput form={form} path="url" label="URL" type="url" placeholder="https://" />
      <ManyOf form={form} path="events" label="Events" options={eventOptions} />
      <Toggle form={form} path="activated" label="Switched on" />
    </FormFrame>
  )
}

const deliveryStates = {
  SUCCESS: { state: 'passing', label: 'Accepted' },
  FAILURE: { state: 'failing', label: 'Failed' },
  IN_PROGRESS: { state: 'unknown', label: 'Waiting' },
} as const

function Deliveries({ page, webhook, onClose }: { page: StatusPage; webhook: Webhook; onClose(): void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['page-webhook-deliveries', webhook.id],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/status-pages/{statusPageId}/webhooks/{webhookId}/deliveries',
        { params: { statusPageId: page.id, webhookId: webhook.id } },
        signal,
      ),
    staleTime: 0,
  })
  return (
    <Overlay title={`Deliveries to ${webhook.name}`} isOpen onClose={onClose}>
      {error && data === undefined ? (
        <Failure what="The deliveries" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad rows={3} />
      ) : data.length === 0 ? (
        <p className="muted-text">Nothing was sent yet. Deliveries are kept for 30 days.</p>
      ) : (
        <TableBox label="Deliveries">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Event</th>
                <th scope="col">Outcome</th>
              </tr>
            </thead>
            <tbody>
              {data.map(({ id, created_at, event, status, result, attempts }) => (
                <tr key={id}>
                  <td className="nowrap">
                    <Moment at={created_at} />
                  </td>
                  <td>{eventLabel(event)}</td>
                  <td>
                    <StateLabel {...deliveryStates[status]} />
                    <br />
                    <span className="muted-text">
                      {result} {attempts > 1 ? `(${attempts} attempts)` : ''}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </Overlay>
  )
}
