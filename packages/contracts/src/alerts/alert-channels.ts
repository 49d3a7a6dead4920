import { z } from 'zod'
import { addition, ignoredField, SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { projectFields } from '../projects/project-binding.ts'
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
    // Exactly one of them isn't null.
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
  sslExpiry: z.boolean().default(false).describe('Notify when a TLS certificate is about to expire'),
  sslExpiryThreshold: z.int().min(1).max(30).default(30).describe('Days before it expires'),
  autoSubscribe: z
    .boolean()
    .default(false)
    .describe('Subscribe to every check and group created from now on'),
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
        'FAILING: the last message could not be delivered; REFUSING: messages are refused until the channel is changed',
      ),
    since: Timestamp.nullable(),
    error: z.string().nullable().describe('The last error of the channel'),
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
    ...projectFields,
  })
}

const configOf = <T extends ChannelType>(type: T): (typeof channelDefinitions)[T]['config'] =>
  channelDefinitions[type].config

// The unions are derived from the list of types.
type Inputs<T extends readonly ChannelType[]> = { [I in keyof T]: ReturnType<typeof inputOf<T[I]>> }
type Channels<T extends readonly ChannelType[]> = { [I in keyof T]: ReturnType<typeof channelOf<T[I]>> }

const inputs: readonly z.ZodObject[] = channelTypes.map((type) => inputOf(type))
const channels: readonly z.ZodObject[] = channelTypes.map((type) => channelOf(type))

export const AlertChannelInput = z
  .discriminatedUnion('type', inputs as Inputs<typeof channelTypes>)
  .meta({ id: 'AlertChannelInput' })

export const AlertChannel = z
  .discriminatedUnion('type', channels as Channels<typeof channelTypes>)
  .meta({ id: 'AlertChannel' })

const tag = 'Alert channels'
const params = z.object({ id: SerialId })
const example = { type: 'EMAIL', config: channelDefinitions.EMAIL.example, sendDegraded: true }
const maskNote = 'A key that may only read or run sees *** instead of each secret.'

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
    "Fields that aren't sent get their defaults; only subscriptions stay as they are when they aren't sent. " +
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

export const listAlertChannelSubscribers = route({
  method: 'GET',
  path: '/v1/alert-channels/{id}/subscribers',
  tag,
  summary: 'List the checks and groups that an alert channel is subscribed to, by name',
  access: 'READ_ONLY',
  params,
  query: PagedQuery.extend({ query: z.string().max(200).optional().describe('Part of the name') }),
  status: 200,
  response: z.array(
    AlertChannelSubscription.extend({ name: z.string().describe('Of the check or group') }).meta({
      id: 'AlertChannelSubscriber',
    }),
  ),
  paged: true,
})

export const deleteAlertChannelSubscription = route({
  method: 'DELETE',
  path: '/v1/alert-channels/{id}/subscriptions/{subscriptionId}',
  tag,
  summary: 'Unsubscribe an alert channel from one check or group',
  access: 'READ_WRITE',
  params: params.extend({ subscriptionId: SerialId }),
  status: 204,
})

export const AlertChannelDependents = z
  .object({
    checks: z.int().describe('Checks that are subscribed, themselves or by their groups'),
    onlyHere: z.int().describe('Those of them that no other channel would notify'),
    onlyHereChecks: z
      .array(z.object({ id: Uuid, name: z.string() }))
      .describe('The first hundred of them, by name'),
  })
  .meta({ id: 'AlertChannelDependents' })

export const getAlertChannelDependents = route({
  method: 'GET',
  path: '/v1/alert-channels/{id}/dependents',
  tag,
  summary: 'See which checks would notify nobody without an alert channel',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: AlertChannelDependents,
})

const testFields = {
  alertType: z
    .enum(alertTypes)
    .exclude(['NO_ALERT'])
    .default('ALERT_FAILURE')
    .describe('The type of the test alert'),
}

const AlertChannelTestInput = z.object(testFields).meta({ id: 'AlertChannelTestInput' })

const AlertChannelDraftInput = z
  .object({
    channel: AlertChannelInput,
    alertChannelId: SerialId.optional().describe(
      'A secret of the draft that is sent as *** is that of this channel',
    ),
    ...testFields,
  })
  .meta({ id: 'AlertChannelDraftInput' })

const draftExample = { channel: { type: 'EMAIL', config: channelDefinitions.EMAIL.example } }

export const AlertChannelTest = z
  .object({
    status: z.enum(['SUCCESS', 'FAILURE', 'RATE_LIMITED']),
    notificationResult: z
      .string()
      .nullable()
      .describe("The response of the channel, or why it couldn't be reached"),
  })
  .meta({ id: 'AlertChannelTest' })

export const testAlertChannel = route({
  method: 'POST',
  path: '/v1/alert-channels/{id}/test',
  tag,
  summary: 'Send a test message through an alert channel, now',
  description:
    'Responds when the channel has accepted or refused the message: a refusal is a response with status FAILURE. ' +
    'The message is tried once, whatever the channel is subscribed to, and is not in the log of notifications.',
  access: 'READ_WRITE',
  params,
  body: AlertChannelTestInput,
  bodyOptional: true,
  status: 200,
  response: AlertChannelTest,
  rateLimit: { limit: 20, seconds: 60 },
  example: { alertType: 'ALERT_RECOVERY' },
})

export const testAlertChannelDraft = route({
  method: 'POST',
  path: '/v1/alert-channels/test',
  tag,
  summary: "Send a test message through a channel that isn't stored, now",
  description: 'As for a stored channel. Nothing is stored, and subscriptions of the draft are ignored.',
  access: 'READ_WRITE',
  body: AlertChannelDraftInput,
  status: 200,
  response: AlertChannelTest,
  errors: [402],
  rateLimit: { limit: 20, seconds: 60 },
  example: draftExample,
})

export const AlertChannelPreview = z
  .object({
    messages: z.array(
      z.object({
        to: z.string().nullable().describe('The address of an email; null: a request'),
        subject: z.string().nullable(),
        contentType: z.string().nullable(),
        body: z.string().describe('With *** instead of each secret'),
      }),
    ),
    problem: z.string().nullable().describe("Why there isn't a message, such as an error in the template"),
  })
  .meta({ id: 'AlertChannelPreview' })

export const previewAlertChannel = route({
  method: 'POST',
  path: '/v1/alert-channels/preview',
  tag,
  summary: 'See the test message of a channel without sending it',
  description: "The channel needn't be stored.",
  access: 'READ_WRITE',
  changesNothing: true,
  body: AlertChannelDraftInput,
  status: 200,
  response: AlertChannelPreview,
  errors: [402],
  rateLimit: { limit: 120, seconds: 60 },
  example: draftExample,
})
