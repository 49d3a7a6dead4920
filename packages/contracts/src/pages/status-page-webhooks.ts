import { z } from 'zod'
import { HttpUrl, ignoredField, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'

export const StatusPageWebhookEvent = z.enum(['INCIDENT_OPENED', 'INCIDENT_UPDATED', 'INCIDENT_RESOLVED'])

export const maxWebhooksPerPage = 10

const ignoredId = ignoredField({ type: 'string', format: 'uuid' })
const ignoredDate = ignoredField({ type: 'string', format: 'date-time', nullable: true })

export const StatusPageWebhookInput = z
  .object({
    name: z.string().min(1).max(255),
    url: HttpUrl.describe('Receives a POST for each event'),
    events: z
      .array(StatusPageWebhookEvent)
      .min(1)
      .refine((events) => new Set(events).size === events.length, 'must not list an event twice')
      .default(StatusPageWebhookEvent.options),
    activated: z.boolean().default(true),
    id: ignoredId,
    deactivatedReason: ignoredField({ type: 'string', nullable: true }),
    created_at: ignoredDate,
    updated_at: ignoredDate,
  })
  .meta({ id: 'StatusPageWebhookInput' })

export const StatusPageWebhook = z
  .object({
    id: Uuid,
    name: z.string(),
    url: z.string(),
    events: z.array(StatusPageWebhookEvent),
    activated: z.boolean(),
    deactivatedReason: z
      .string()
      .nullable()
      .describe('Why the server switched the webhook off; null if it did not'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'StatusPageWebhook' })

export const CreatedStatusPageWebhook = StatusPageWebhook.extend({
  secret: z
    .string()
    .describe(
      'The key of the signatures (whsec_ and base64), as Standard Webhooks has it. It is shown only here',
    ),
}).meta({ id: 'CreatedStatusPageWebhook' })

export const StatusPageWebhookDelivery = z
  .object({
    id: Uuid.describe('The header webhook-id: the same in every attempt'),
    event: StatusPageWebhookEvent,
    incidentId: Uuid,
    status: z.enum(['IN_PROGRESS', 'SUCCESS', 'FAILURE']),
    result: z.string().nullable().describe('The response of the receiver, or why it was not reached'),
    attempts: z.int(),
    nextAttemptAt: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'StatusPageWebhookDelivery' })

export const StatusPageWebhookTest = z
  .object({ status: z.enum(['SUCCESS', 'FAILURE']), result: z.string() })
  .meta({ id: 'StatusPageWebhookTest' })

const tag = 'Status page webhooks'
const pageParams = z.object({ statusPageId: Uuid })
const params = pageParams.extend({ webhookId: Uuid })
const example = { name: 'Chat bot', url: 'https://example.com/hooks/status', events: ['INCIDENT_OPENED'] }

export const listStatusPageWebhooks = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/webhooks',
  tag,
  summary: 'List the webhooks of a status page',
  access: 'READ_ONLY',
  params: pageParams,
  status: 200,
  response: z.array(StatusPageWebhook),
})

export const createStatusPageWebhook = route({
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/webhooks',
  tag,
  summary: 'Add a webhook to a status page',
  description: `At most ${maxWebhooksPerPage} per page. The response contains the secret of its signatures, once.`,
  access: 'READ_WRITE',
  params: pageParams,
  body: StatusPageWebhookInput,
  status: 201,
  response: CreatedStatusPageWebhook,
  errors: [409],
  example,
})

export const getStatusPageWebhook = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/webhooks/{webhookId}',
  tag,
  summary: 'Read a webhook of a status page',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: StatusPageWebhook,
})

export const updateStatusPageWebhook = route({
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}/webhooks/{webhookId}',
  tag,
  summary: 'Change a webhook of a status page',
  description:
    'The secret and fields that are left out stay. `activated: true` switches on a webhook that the server has switched off.',
  access: 'READ_WRITE',
  params,
  body: updateOf(StatusPageWebhookInput).meta({ id: 'StatusPageWebhookUpdate' }),
  status: 200,
  response: StatusPageWebhook,
  example,
})

export const deleteStatusPageWebhook = route({
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}/webhooks/{webhookId}',
  tag,
  summary: 'Delete a webhook of a status page, with its deliveries',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const testStatusPageWebhook = route({
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/webhooks/{webhookId}/test',
  tag,
  summary: 'Send a test event to a webhook, now',
  description:
    'It is tried once, and is not in the list of deliveries. A refusal is a response with status FAILURE.',
  access: 'READ_WRITE',
  params,
  status: 200,
  response: StatusPageWebhookTest,
  rateLimit: { limit: 20, seconds: 60 },
})

export const listStatusPageWebhookDeliveries = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/webhooks/{webhookId}/deliveries',
  tag,
  summary: 'List the last 100 deliveries of a webhook, latest first',
  description: 'They are kept for 30 days.',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.array(StatusPageWebhookDelivery),
})
