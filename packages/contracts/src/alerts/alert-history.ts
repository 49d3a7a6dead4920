// Alerts with what became of them: the channels that were notified, or why nobody was.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { CursorQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { ranAtField } from '../runs/runs.ts'
import { notificationStatuses } from './alert-notifications.ts'
import { channelTypes } from './channels/index.ts'
import { alertTypes } from './check-alerts.ts'

export const alertHeldReasons = [
  'threshold',
  'parallel_threshold',
  'untold',
  'muted',
  'inactive',
  'maintenance',
] as const

const deliveryKinds = ['failure', 'degraded', 'recovery', 'ssl', 'unknown', 'resumed'] as const

export const AlertDelivery = z
  .object({
    id: Uuid,
    alertChannelId: SerialId,
    channelType: z.enum(channelTypes).describe('Of the channel, when it was notified'),
    kind: z.enum(deliveryKinds).describe('unknown, resumed: about a location alarm'),
    status: z.enum(notificationStatuses).describe('IN_PROGRESS: not delivered yet'),
    isReminder: z.boolean(),
    attempts: z.int().min(0),
    triedAt: Timestamp.nullable().describe('The last attempt'),
    nextAttemptAt: Timestamp.nullable().describe('Null: it is over'),
    response: z
      .string()
      .nullable()
      .describe("The response of the channel to the last attempt, or why it couldn't be reached"),
    created_at: Timestamp.describe('When it was decided'),
  })
  .meta({ id: 'AlertDelivery' })

export const AlertHistoryEntry = z
  .object({
    id: Uuid,
    checkId: Uuid,
    name: z.string().describe('Of the check, as it was then'),
    checkType: CheckType,
    alertType: z.enum(alertTypes),
    heldBy: z
      .enum(alertHeldReasons)
      .nullable()
      .describe(
        'Why nobody was notified; "untold": the end of an episode without an alert; null: it was sent',
      ),
    checkResultId: Uuid.nullable(),
    runLocation: z.string(),
    ranAt: ranAtField,
    error: z.string().nullable(),
    created_at: Timestamp,
    startedAt: Timestamp.describe('Of the run'),
    episodeAt: Timestamp.nullable().describe('When the trouble began that the alert belongs to'),
    deliveries: z
      .array(AlertDelivery)
      .describe('Of a sent alert: empty if no channel of the check wants such messages'),
    isPending: z.boolean().describe('Its channels are still to be determined'),
  })
  .meta({ id: 'AlertHistoryEntry' })

const filters = {
  checkId: Uuid.optional(),
  alertChannelId: SerialId.optional().describe('Only what this channel was notified of'),
  status: z.enum(notificationStatuses).optional().describe('Only with a delivery of this status'),
  from: UnixSeconds.optional().describe('UNIX time in seconds, inclusive'),
  to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive'),
}

const nextId = z.string().nullable().describe('Where the next page begins; null at the end')
const tag = 'Alert history'

export const listAlertHistory = route({
  method: 'GET',
  path: '/v1/alert-history',
  tag,
  summary: 'List alerts with their deliveries, and changes of which nobody was notified, latest first',
  access: 'READ_ONLY',
  query: CursorQuery.extend({
    ...filters,
    kind: z
      .enum(['failure', 'degraded', 'recovery', 'ssl', 'held'])
      .optional()
      .describe('held: nobody was notified'),
    heldBy: z.enum(alertHeldReasons).optional(),
  }),
  status: 200,
  response: z.object({ entries: z.array(AlertHistoryEntry), nextId }),
})

export const listAlertDeliveries = route({
  method: 'GET',
  path: '/v1/alert-history/deliveries',
  tag,
  summary: 'List the messages to alert channels with their attempts, latest first',
  description: 'Also reminders, notices of certificates that expire, and messages about location alarms.',
  access: 'READ_ONLY',
  query: CursorQuery.extend({ ...filters, kind: z.enum(deliveryKinds).optional() }),
  status: 200,
  response: z.object({
    entries: z.array(
      AlertDelivery.extend({
        checkId: Uuid.describe('About a location alarm: the first of its checks'),
        checkName: z.string().nullable().describe('Null: the check was deleted'),
        checkResultId: Uuid.nullable(),
        locationAlarmId: Uuid.nullable(),
      }).meta({ id: 'AlertDeliveryEntry' }),
    ),
    nextId,
  }),
})
