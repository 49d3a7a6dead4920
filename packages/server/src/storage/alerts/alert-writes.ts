// Inserts alerts and notifications in batches, one statement per table.
import type { AlarmCause } from '@vedette/contracts'
import { columnKinds, constant, currentTime, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'
import type { TriggeringResult } from './alert-states.ts'

export interface AlertRow {
  id: string
  accountId: string
  checkId: string
  checkType: string
  alertType: string
  kind: string | null
  heldBy: string | null
  name: string
  episodeAt: number | null
  lead: TriggeringResult
  /** Null: they are added when its channels are notified. */
  facts: AlertFacts | null
  /** When its channels are to be notified; null: never, or it is done. */
  notifyAt: number | null
}

/** What messages contain besides the columns. */
export interface AlertFacts {
  accountName: string
  description: string | null
  groupId: number | null
  groupName: string | null
  tags: string[]
  ssl?: { daysRemaining: number; domain: string }
  /** Of a message about a location alarm. */
  alarm?: AlarmFacts
}

/** What a message says about checks that don't run. */
export interface AlarmFacts {
  cause: AlarmCause
  /** Display names. */
  locations: string[]
  leadCheckId: string
  checkCount: number
  /** The names of the first of them. */
  checks: string[]
  /** The checks may still run in other locations: it is about one location, not about their state. */
  isLocationOnly?: boolean
  openedAt: string
  resolvedAt: string | null
  /** Why it is over; absent while it is open. */
  end?: AlarmEnd
}

/** Runs resumed, or the checks aren't due there any more: deactivated, deleted or moved. */
export type AlarmEnd = 'resumed' | 'unassigned'

export interface NotificationRow {
  id: string
  accountId: string
  checkId: string
  checkType: string
  alertId: string
  channelId: number
  type: string
  kind: string
  resultId: string | null
  episodeAt: number | null
  isReminder: boolean
  reminderSequence: number
  dueAt: number
}

const alert = columnKinds<AlertRow>()

const insertAlertRows = insertMany('insert_alerts', 'check_alerts', {
  id: alert.uuid((row) => row.id),
  account_id: alert.uuid((row) => row.accountId),
  check_id: alert.uuid((row) => row.checkId),
  check_type: alert.word((row) => row.checkType),
  alert_type: alert.word((row) => row.alertType),
  kind: alert.word((row) => row.kind),
  held_by: alert.word((row) => row.heldBy),
  name: alert.text((row) => row.name),
  run_location: alert.text((row) => row.lead.location),
  response_time: alert.real((row) => row.lead.responseTimeMs),
  error: alert.text((row) => row.lead.error),
  status_code: alert.smallint((row) => row.lead.statusCode),
  result_id: alert.uuid((row) => row.lead.resultId),
  scheduled_at: alert.instant((row) => row.lead.scheduledAt),
  started_at: alert.instant((row) => row.lead.startedAt),
  episode_at: alert.instant((row) => row.episodeAt),
  facts: alert.json((row) => row.facts),
  notify_at: alert.instant((row) => row.notifyAt),
  error_group_id: alert.uuid((row) => row.lead.errorGroupId),
  ran_at: alert.json((row) => row.lead.ranAt ?? null),
  created_at: currentTime,
})

export async function insertAlerts(client: Client, rows: readonly AlertRow[], now: number): Promise<void> {
  await insertAlertRows(client, rows, now)
}

const notification = columnKinds<NotificationRow>()

// The join leaves out checks that are deleted meanwhile; the lock is the one that a foreign key would take. The order of
// ids is the order in which a channel is notified, so it is the order of the batch.
const insertNotificationRows = insertMany(
  'insert_notifications',
  'alert_notifications',
  {
    id: notification.uuid((row) => row.id),
    account_id: notification.uuid((row) => row.accountId),
    check_id: notification.uuid((row) => row.checkId),
    check_type: notification.word((row) => row.checkType),
    check_alert_id: notification.uuid((row) => row.alertId),
    alert_channel_id: notification.integer((row) => row.channelId),
    type: notification.word((row) => row.type),
    kind: notification.word((row) => row.kind),
    result_id: notification.uuid((row) => row.resultId),
    episode_at: notification.instant((row) => row.episodeAt),
    is_reminder: notification.boolean((row) => row.isReminder),
    reminder_sequence: notification.integer((row) => row.reminderSequence),
    status: constant("'IN_PROGRESS'"),
    due_at: notification.instant((row) => row.dueAt),
    created_at: currentTime,
  },
  {
    source: `join checks c on c.account_id = r.account_id and c.id = r.check_id
      order by r.ordinal for key share of c`,
  },
)

export async function insertNotifications(
  client: Client,
  rows: readonly NotificationRow[],
  now: number,
): Promise<void> {
  await insertNotificationRows(client, rows, now)
}
