// Alerts and the messages about them, as rows: whole batches as arrays, one statement per table.
import type { AlarmCause } from '@vedette/contracts'
import { columnsOf } from '../core/columns-of.ts'
import type { Client } from '../core/transaction.ts'
import type { RunLead } from './alert-states.ts'

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
  lead: RunLead
  /** Null: they are added when its channels are notified. */
  facts: AlertFacts | null
  /** When its channels are to be notified; null: never, or it is done. */
  notifyAt: number | null
}

/** What messages tell beyond the columns. */
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

/** What a message says about checks that nobody runs. */
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

const alertText = `
  insert into check_alerts (id, account_id, check_id, check_type, alert_type, kind, held_by, name, run_location,
    response_time, error, status_code, result_id, scheduled_at, started_at, episode_at, error_group_id, facts, notify_at, ran_at, created_at)
  select id, account_id, check_id, check_type, alert_type, kind, held_by, name, run_location, response_time, error,
    status_code, result_id, to_timestamp(scheduled_at / 1000.0), to_timestamp(started_at / 1000.0),
    to_timestamp(episode_at / 1000.0), error_group_id, facts::jsonb,
    to_timestamp(notify_at / 1000.0), ran_at::jsonb, to_timestamp($21 / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::real[], $11::text[], $12::smallint[], $13::uuid[], $14::float8[], $15::float8[], $16::float8[], $17::text[], $18::float8[],
    $19::uuid[], $20::text[]) as
    r (id, account_id, check_id, check_type, alert_type, kind, held_by, name, run_location, response_time, error,
    status_code, result_id, scheduled_at, started_at, episode_at, facts, notify_at, error_group_id, ran_at)`

export async function insertAlerts(client: Client, rows: readonly AlertRow[], now: number): Promise<void> {
  if (rows.length === 0) return
  const { plain, text } = columnsOf(rows)
  const values = [
    plain((row) => row.id),
    plain((row) => row.accountId),
    plain((row) => row.checkId),
    plain((row) => row.checkType),
    plain((row) => row.alertType),
    plain((row) => row.kind),
    plain((row) => row.heldBy),
    text((row) => row.name),
    text((row) => row.lead.location),
    plain((row) => row.lead.responseTimeMs),
    text((row) => row.lead.error),
    plain((row) => row.lead.statusCode),
    plain((row) => row.lead.resultId),
    plain((row) => row.lead.scheduledAt),
    plain((row) => row.lead.startedAt),
    plain((row) => row.episodeAt),
    text(({ facts }) => facts && JSON.stringify(facts)),
    plain((row) => row.notifyAt),
    plain((row) => row.lead.errorGroupId),
    text(({ lead }) => (lead.ranAt ? JSON.stringify(lead.ranAt) : null)),
    now,
  ]
  await client.query({ name: 'insert_alerts', text: alertText, values })
}

// A check that is deleted meanwhile gets none: its row is locked, as a foreign key would. The order of the batch is the order of the places: what a channel hears of a check comes in the order it was decided.
const notificationText = `
  insert into alert_notifications (id, account_id, check_id, check_type, check_alert_id, alert_channel_id, type, kind,
    result_id, episode_at, is_reminder, reminder_sequence, status, due_at, created_at)
  select r.id, r.account_id, r.check_id, r.check_type, alert_id, channel_id, type, kind, result_id,
    to_timestamp(episode_at / 1000.0), is_reminder, reminder_sequence, 'IN_PROGRESS', to_timestamp(due_at / 1000.0),
    to_timestamp($14 / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::integer[], $7::text[], $8::text[],
    $9::uuid[], $10::float8[], $11::boolean[], $12::integer[], $13::float8[]) with ordinality as
    r (id, account_id, check_id, check_type, alert_id, channel_id, type, kind, result_id, episode_at, is_reminder,
    reminder_sequence, due_at, place)
  join checks c on c.account_id = r.account_id and c.id = r.check_id
  order by place for key share of c`

export async function insertNotifications(
  client: Client,
  rows: readonly NotificationRow[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return
  const { plain } = columnsOf(rows)
  const values = [
    plain((row) => row.id),
    plain((row) => row.accountId),
    plain((row) => row.checkId),
    plain((row) => row.checkType),
    plain((row) => row.alertId),
    plain((row) => row.channelId),
    plain((row) => row.type),
    plain((row) => row.kind),
    plain((row) => row.resultId),
    plain((row) => row.episodeAt),
    plain((row) => row.isReminder),
    plain((row) => row.reminderSequence),
    plain((row) => row.dueAt),
    now,
  ]
  await client.query({ name: 'insert_notifications', text: notificationText, values })
}
