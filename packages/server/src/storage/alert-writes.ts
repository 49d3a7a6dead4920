// Alerts and the messages about them, as rows: whole batches as arrays, one statement per table.
import type { RunLead } from './alert-states.ts'
import type { Client } from './transaction.ts'

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
  facts: AlertFacts
}

/** What messages tell beyond the columns. */
export interface AlertFacts {
  accountName: string
  description: string | null
  groupId: number | null
  groupName: string | null
  tags: string[]
  errorGroupId: string | null
  ssl?: { daysRemaining: number; domain: string }
}

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
    response_time, error, status_code, result_id, scheduled_at, started_at, episode_at, facts, created_at)
  select id, account_id, check_id, check_type, alert_type, kind, held_by, name, run_location, response_time, error,
    status_code, result_id, to_timestamp(scheduled_at / 1000.0), to_timestamp(started_at / 1000.0),
    to_timestamp(episode_at / 1000.0), facts::jsonb, to_timestamp($18 / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::real[], $11::text[], $12::smallint[], $13::uuid[], $14::float8[], $15::float8[], $16::float8[], $17::text[]) as
    r (id, account_id, check_id, check_type, alert_type, kind, held_by, name, run_location, response_time, error,
    status_code, result_id, scheduled_at, started_at, episode_at, facts)`

export async function insertAlerts(client: Client, rows: readonly AlertRow[], now: number): Promise<void> {
  if (rows.length === 0) return
  const column = <T>(pick: (row: AlertRow) => T) => rows.map(pick)
  const values = [
    column((row) => row.id),
    column((row) => row.accountId),
    column((row) => row.checkId),
    column((row) => row.checkType),
    column((row) => row.alertType),
    column((row) => row.kind),
    column((row) => row.heldBy),
    column((row) => row.name),
    column((row) => row.lead.location),
    column((row) => row.lead.responseTimeMs),
    column((row) => row.lead.error),
    column((row) => row.lead.statusCode),
    column((row) => row.lead.resultId),
    column((row) => row.lead.scheduledAt),
    column((row) => row.lead.startedAt),
    column((row) => row.episodeAt),
    column((row) => JSON.stringify(row.facts)),
    now,
  ]
  await client.query({ name: 'insert_alerts', text: alertText, values })
}

// The order of the batch is the order of the places: what a channel hears of a check comes in the order it was decided.
const notificationText = `
  insert into alert_notifications (id, account_id, check_id, check_type, check_alert_id, alert_channel_id, type, kind,
    result_id, episode_at, is_reminder, reminder_sequence, status, due_at, created_at)
  select id, account_id, check_id, check_type, alert_id, channel_id, type, kind, result_id,
    to_timestamp(episode_at / 1000.0), is_reminder, reminder_sequence, 'IN_PROGRESS', to_timestamp(due_at / 1000.0),
    to_timestamp($14 / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::integer[], $7::text[], $8::text[],
    $9::uuid[], $10::float8[], $11::boolean[], $12::integer[], $13::float8[]) with ordinality as
    r (id, account_id, check_id, check_type, alert_id, channel_id, type, kind, result_id, episode_at, is_reminder,
    reminder_sequence, due_at, place)
  order by place`

export async function insertNotifications(
  client: Client,
  rows: readonly NotificationRow[],
  now: number,
): Promise<void> {
  if (rows.length === 0) return
  const column = <T>(pick: (row: NotificationRow) => T) => rows.map(pick)
  const values = [
    column((row) => row.id),
    column((row) => row.accountId),
    column((row) => row.checkId),
    column((row) => row.checkType),
    column((row) => row.alertId),
    column((row) => row.channelId),
    column((row) => row.type),
    column((row) => row.kind),
    column((row) => row.resultId),
    column((row) => row.episodeAt),
    column((row) => row.isReminder),
    column((row) => row.reminderSequence),
    column((row) => row.dueAt),
    now,
  ]
  await client.query({ name: 'insert_notifications', text: notificationText, values })
}
