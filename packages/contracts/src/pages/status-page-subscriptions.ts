import { z } from 'zod'
import { Email, EmailRead, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

const SubscriptionType = z.enum(['EMAIL'])

export const StatusPageSubscriptionStatus = z.enum(['PENDING', 'VERIFIED'])

// spec §2.11
export const StatusPageSubscription = z
  .object({
    id: z.string(),
    type: SubscriptionType,
    address: EmailRead.describe('Email address of the subscriber'),
    status: StatusPageSubscriptionStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'StatusPageSubscription' })

export const StatusPageSubscriptionBatch = z
  .object({
    subscriptions: z
      .array(z.object({ type: SubscriptionType, config: Email.describe('Email address of the subscriber') }))
      .min(1)
      .max(100),
  })
  .meta({ id: 'StatusPageSubscriptionBatch' })

const tag = 'Status page subscriptions'
const params = z.object({ statusPageId: Uuid })

export const listStatusPageSubscriptions = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/subscriptions',
  tag,
  summary: 'List the subscriptions of a status page',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.array(StatusPageSubscription),
})

export const createStatusPageSubscriptions = route({
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/subscriptions/bulk',
  tag,
  summary: 'Add up to 100 subscribers to a status page',
  description: 'Addresses that are already subscribed are skipped.',
  access: 'READ_WRITE',
  params,
  body: StatusPageSubscriptionBatch,
  status: 201,
  response: z.object({ created: z.int(), skipped: z.int(), status: StatusPageSubscriptionStatus }),
  example: { subscriptions: [{ type: 'EMAIL', config: 'ada@example.com' }] },
})

export const deleteStatusPageSubscription = route({
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}/subscriptions/{subscriptionId}',
  tag,
  summary: 'Remove a subscriber from a status page',
  access: 'READ_WRITE',
  params: params.extend({ subscriptionId: Uuid }),
  status: 204,
})
