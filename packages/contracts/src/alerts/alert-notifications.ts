import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { addition, SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { channelTypes } from './channels/index.ts'

export const notificationStatuses = ['IN_PROGRESS', 'SUCCESS', 'FAILURE', 'RATE_LIMITED'] as const

export type NotificationStatus = (typeof notificationStatuses)[number]

export const AlertNotification = z
  .object({
    id: Uuid,
    type: z.enum(channelTypes).describe('Of the channel, when it was notified'),
    status: z.enum(notificationStatuses).describe('IN_PROGRESS: not delivered yet'),
    alertConfig: z
      .record(z.string(), z.unknown())
      .describe('Of the channel as it is now, with *** instead of each secret; empty if it was deleted'),
    notificationResult: z.string().nullable().describe('The response of the channel to the last attempt'),
    timestamp: Timestamp.nullable().describe('When it was decided'),
    checkType: CheckType,
    checkId: Uuid,
    checkAlertId: Uuid.describe('Of a message about a location alarm: the id of that alarm'),
    alertChannelId: SerialId,
    checkResultId: Uuid.optional().describe('Absent if no single result caused it'),
    locationAlarmId: addition(
      Uuid.optional().describe(
        'The message is about this location alarm, not about an alert of a check; checkId then is the first of its checks',
      ),
    ),
  })
  .meta({ id: 'AlertNotification' })

/** The longest window of the log. */
export const maxNotificationHours = 24

export const listAlertNotifications = route({
  method: 'GET',
  path: '/v1/alert-notifications',
  tag: 'Alert notifications',
  summary: 'List what was sent to alert channels in a window of at most 24 hours, latest first',
  description: "Notices of certificates that are about to expire aren't listed.",
  access: 'READ_ONLY',
  query: PagedQuery.extend({
    from: UnixSeconds.optional().describe(
      'UNIX time in seconds, inclusive; 24 hours before now when left out',
    ),
    to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive; 24 hours after from when left out'),
    alertChannelId: SerialId.optional().describe('Only to this channel'),
    hasFailures: z.boolean().optional().describe('true: only what failed; false: only what did not'),
  }),
  status: 200,
  response: z.array(AlertNotification),
  paged: true,
  errors: [402],
  rateLimit: { limit: 5, seconds: 10 },
})
