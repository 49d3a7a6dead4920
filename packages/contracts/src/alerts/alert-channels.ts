import { z } from 'zod'
import { addition, ignoredField, SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { type ChannelType, channelDefinitions, channelTypes } from './channels/index.ts'
import { alertTypes } from './check-alerts.ts'

const subscriptionFields = {
  id: ignoredField({ type: 'integer' }),
  checkId: Uuid.nullable().optional(),
  groupId: SerialId.nullable().optional(),
  activated: z.boolean().default(true),
}

export const AlertChannelSubscriptionInput = z
  .object(subscriptionFields)
  .refine(
    ({ checkId, groupId }) => (checkId == null) !== (groupId == null),
    'must name either a checkId or a groupId',
  )
  .meta({
    id: 'AlertChannelSubscriptionInput',
    // Exactly one of them names something.
    oneOf: [
      { required: ['checkId'], properties: { checkId: { nullable: false, type: 'string' } } },
      { required: ['groupId'], properties: { groupId: { nullable: false, type: 'integer' } } },
    ],
  })

export const AlertChannelSubscription = z
  .object({ id: SerialId, checkId: Uuid.nullable(), groupId: SerialId.nullable(), activated: z.boolean() })
  .meta({ id: 'AlertChannelSubscription' })

const switches = {
  sendRecovery: z.boolean().default(true),
  sendFailure: z.boolean().default(true),
  sendDegraded: z.boolean().default(false),
  sslExpiry: z.boolean().default(false).describe('Tell when a TLS certificate is about to expire'),
  sslExpiryThreshold: z.int().min(1).max(30).default(30).describe('Days before it expires'),
  autoSubscribe: z.boolean().default(false).describe('Subscribe to every check and group made from now on'),
}

function inputOf<T extends ChannelType>(type: T) {
  return z.object({
    type: z.literal(type),
    config: configOf(type),
    ...switches,
    subscriptions: z.array(AlertChannelSubscriptionInput).max(20_000).optional(),
  })
}

export const AlertChannelHealth = z
  .object({
    status: z
      .enum(['OK', 'FAILING', 'REFUSING'])
      .describe(
        'FAILING: the last message could not be delivered; REFUSING: it will not be, as it is set up',
      ),
    since: Timestamp.nullable(),
    error: z.string().nullable().describe('What the channel said last'),
  })
  .meta({ id: 'AlertChannelHealth' })

function channelOf<T extends ChannelType>(type: T) {
  return z.object({
    id: SerialId,
    type: z.literal(type),
    config: configOf(type),
    sendRecovery: z.boolean(),
    sendFailure: z.boolean(),
    sendDegraded: z.boolean(),
    sslExpiry: z.boolean(),
    sslExpiryThreshold: z.int(),
    autoSubscribe: z.boolean(),
    subscriptions: z.array(AlertChannelSubscription),
    health: addition(AlertChannelHealth),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
}

const configOf = <T extends ChannelType>(type: T): (typeof channelDefinitions)[T]['config'] =>
  channelDefinitions[type].config

// The union is read off the one list, so that a new type can't be forgotten here.
type Inputs<T extends readonly ChannelType[]> = { [I in keyof T]: ReturnType<typeof inputOf<T[I]>> }
type Channels<T extends readonly ChannelType[]> = { [I in keyof T]: ReturnType<typeof channelOf<T[I]>> }

export const AlertChannelInput = z
  .discriminatedUnion(
    'type',
    channelTypes.map((type) => inputOf(type)) as unknown as Inputs<typeof channelTypes>,
  )
  .meta({ id: 'AlertChannelInput' })

export const AlertChannel = z
  .discriminatedUnion(
    'type',
    channelTypes.map((type) => channelOf(type)) as unknown as Channels<typeof channelTypes>,
  )
  .meta({ id: 'AlertChannel' })

const tag = 'Alert channels'
const params = z.object({ id: SerialId })
const example = { type: 'EMAIL', config: channelDefinitions.EMAIL.example, sendDegraded: true }
const maskNote = 'A key that may only read or run sees *** in place of each secret.'

export const listAlertChannels = route({
  method: 'GET',
  path: '/v1/alert-channels',
  tag,
  summary: 'List alert channels with their subscriptions',
  description: maskNote,
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(AlertChannel),
  paged: true,
})

export const getAlertChannel = route({
  method: 'GET',
  path: '/v1/alert-channels/{id}',
  tag,
  summary: 'Read an alert channel',
  description: maskNote,
  access: 'READ_ONLY',
  params,
  status: 200,
  response: AlertChannel,
})

export const createAlertChannel = route({
  method: 'POST',
  path: '/v1/alert-channels',
  tag,
  summary: 'Create an alert channel',
  access: 'READ_WRITE',
  body: AlertChannelInput,
  // 20,000 subscriptions of 100 bytes, and a template.
  bodyLimit: 4 * 1024 * 1024,
  status: 201,
  response: AlertChannel,
  errors: [402],
  example,
})

export const replaceAlertChannel = route({
  method: 'PUT',
  path: '/v1/alert-channels/{id}',
  tag,
  summary: 'Replace an alert channel',
  description:
    'Fields that are not sent get their defaults; only subscriptions stay as they are when they are not sent. ' +
    'A secret sent as *** stays as it is.',
  access: 'READ_WRITE',
  params,
  body: AlertChannelInput,
  // 20,000 subscriptions of 100 bytes, and a template.
  bodyLimit: 4 * 1024 * 1024,
  status: 200,
  response: AlertChannel,
  errors: [402],
  example,
})

export const deleteAlertChannel = route({
  method: 'DELETE',
  path: '/v1/alert-channels/{id}',
  tag,
  summary: 'Delete an alert channel',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const putAlertChannelSubscription = route({
  method: 'PUT',
  path: '/v1/alert-channels/{id}/subscriptions',
  tag,
  summary: 'Subscribe an alert channel to one check or group, or switch that subscription on or off',
  access: 'READ_WRITE',
  params,
  body: AlertChannelSubscriptionInput,
  status: 200,
  response: AlertChannelSubscription,
  example: { groupId: 7, activated: true },
})

const AlertChannelTestInput = z
  .object({
    alertType: z.enum(alertTypes).exclude(['NO_ALERT']).default('ALERT_FAILURE').describe('What to pretend'),
  })
  .meta({ id: 'AlertChannelTestInput' })

export const AlertChannelTest = z
  .object({
    status: z.enum(['SUCCESS', 'FAILURE', 'RATE_LIMITED']),
    notificationResult: z.string().nullable().describe('What the channel said, or why it was not reached'),
  })
  .meta({ id: 'AlertChannelTest' })

export const testAlertChannel = route({
  method: 'POST',
  path: '/v1/alert-channels/{id}/test',
  tag,
  summary: 'Send a test message through an alert channel, now',
  description:
    'Answers when the channel has taken the message or refused it: a refusal is an answer too, with status FAILURE. ' +
    'It is tried once, whatever the channel sends otherwise, and leaves nothing in the log of notifications.',
  access: 'READ_WRITE',
  params,
  body: AlertChannelTestInput,
  bodyOptional: true,
  status: 200,
  response: AlertChannelTest,
  rateLimit: { limit: 20, seconds: 60 },
  example: { alertType: 'ALERT_RECOVERY' },
})
