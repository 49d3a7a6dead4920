// Alarms about checks whose state is unknown, and the messages about them: at most one open per account, cause and location.
import { randomUUID } from 'node:crypto'
import type { AlarmCause } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'
import type { AlarmEnd, AlertFacts } from './alert-writes.ts'

const lockKey = 727_014

/** Locked until the transaction ends; false: another server has the lock. */
export async function lockUnknownAlarms(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    lockKey,
  ])
  return rows[0]?.locked === true
}

export interface UnknownAlarm {
  id: string
  accountId: string
  /** The cause, and what the checks have in common. */
  key: string
  cause: AlarmCause
  checkIds: string[]
  openedAt: number
}

const columns = `id, account_id as "accountId", queue as key, cause, check_ids as "checkIds",
  (extract(epoch from opened_at) * 1000)::float8 as "openedAt"`

export async function listOpenUnknownAlarms(client: Client): Promise<UnknownAlarm[]> {
  const { rows } = await client.query<UnknownAlarm & Record<string, unknown>>(
    `select ${columns} from location_alarms where resolved_at is null and kind = 'unknown_checks' order by id`,
  )
  return rows
}

interface AlarmValues {
  location: string
  checkIds: readonly string[]
  /** Of the first ten. */
  checkNames: readonly string[]
  unservedTypes: readonly string[]
}

/** Null if there is an open one. */
export async function insertUnknownAlarm(
  client: Client,
  alarm: AlarmValues & Pick<UnknownAlarm, 'accountId' | 'key' | 'cause' | 'openedAt'>,
): Promise<UnknownAlarm | null> {
  const { accountId, key, cause, location, checkIds, openedAt } = alarm
  const { rows } = await client.query<UnknownAlarm & Record<string, unknown>>(
    `insert into location_alarms (id, account_id, queue, location, kind, cause, check_ids, check_count, facts, opened_at)
     values ($1, $2, $3, $4, 'unknown_checks', $5, $6, $7, $8, to_timestamp($9 / 1000.0))
     on conflict (account_id, queue, kind) where resolved_at is null do nothing returning ${columns}`,
    [randomUUID(), accountId, key, location, cause, checkIds, checkIds.length, factsOf(alarm), openedAt],
  )
  return rows[0] ?? null
}

export async function updateUnknownAlarm(client: Client, id: string, alarm: AlarmValues): Promise<void> {
  const { location, checkIds } = alarm
  await client.query(
    'update location_alarms set location = $2, check_ids = $3, check_count = $4, facts = $5 where id = $1',
    [id, location, checkIds, checkIds.length, factsOf(alarm)],
  )
}

function factsOf({ checkNames, unservedTypes }: AlarmValues): string {
  return JSON.stringify({ checks: checkNames, unservedTypes })
}

export interface AlarmSettings {
  accountId: string
  accountName: string
  notifyAfterMs: number
  /** Channels that receive every alarm about agents. */
  channels: { channelId: number; type: string }[]
}

export async function readAlarmSettings(
  client: Client,
  accountIds: readonly string[],
): Promise<Map<string, AlarmSettings>> {
  const { rows } = await client.query<AlarmSettings & Record<string, unknown>>({
    name: 'read_alarm_settings',
    text: `
      select a.id as "accountId", a.name as "accountName",
        coalesce((a.settings ->> 'notifyUnknownAfterSeconds')::float8, 300) * 1000 as "notifyAfterMs",
        coalesce((select json_agg(json_build_object('channelId', ch.id, 'type', ch.type)) from alert_channels ch
          where ch.account_id = a.id and a.settings -> 'agentAlarmChannelIds' @> to_jsonb(ch.id)), '[]') as channels
      from accounts a where a.id = any($1::uuid[])`,
    values: [accountIds],
  })
  return new Map(rows.map((row) => [row.accountId, row]))
}

export interface AlarmNotification {
  channelId: number
  type: string
  leadCheckId: string
  checkType: string
  facts: AlertFacts
}

/** A channel gets at most one message about the beginning of this alarm. */
export async function insertAlarmNotifications(
  client: Client,
  { accountId, id: alarmId }: Pick<UnknownAlarm, 'accountId' | 'id'>,
  notifications: readonly AlarmNotification[],
  now: number,
): Promise<void> {
  for (const { channelId, type, leadCheckId, checkType, facts } of notifications) {
    await client.query(
      `insert into alert_notifications (id, account_id, check_id, check_type, check_alert_id, alert_channel_id, type, kind,
         is_reminder, reminder_sequence, status, due_at, created_at, location_alarm_id, lead_check_id, facts)
       values ($1, $2, $3, $4, $3, $5, $6, 'unknown', false, 0, 'IN_PROGRESS', to_timestamp($7 / 1000.0),
         to_timestamp($7 / 1000.0), $3, $8, $9)
       on conflict (location_alarm_id, alert_channel_id, kind) where location_alarm_id is not null do nothing`,
      [randomUUID(), accountId, alarmId, checkType, channelId, type, now, leadCheckId, JSON.stringify(facts)],
    )
  }
}

/** Channels that an open alarm about the state of checks in this location has notified. */
export async function listNotifiedChannels(
  client: Client,
  { accountId, location, cause }: { accountId: string; location: string; cause: AlarmCause },
): Promise<Set<number>> {
  const { rows } = await client.query<{ id: number }>(
    `select distinct n.alert_channel_id as id from location_alarms l join alert_notifications n on n.location_alarm_id = l.id
     where l.account_id = $1 and l.kind = 'unknown_checks' and l.resolved_at is null and l.cause = $3
       and $2 = any(string_to_array(l.location, ', '))`,
    [accountId, location, cause],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Resolves an alarm, and notifies the channels that were notified of it; false: it was already resolved. */
export async function resolveUnknownAlarm(
  client: Client,
  id: string,
  end: AlarmEnd,
  now: number,
): Promise<boolean> {
  const { rows } = await client.query(
    `update location_alarms set resolved_at = to_timestamp($2 / 1000.0) where id = $1 and resolved_at is null returning id`,
    [id, now],
  )
  if (rows.length === 0) return false
  await insertEndNotifications(client, id, end, now)
  return true
}

/** For the channels that were notified of its beginning and want to be notified of recoveries. */
export async function insertEndNotifications(
  client: Client,
  alarmId: string,
  end: AlarmEnd,
  now: number,
): Promise<void> {
  const facts = JSON.stringify({ resolvedAt: new Date(now).toISOString(), end })
  await client.query(
    `insert into alert_notifications (id, account_id, check_id, check_type, check_alert_id, alert_channel_id, type, kind,
       is_reminder, reminder_sequence, status, due_at, created_at, location_alarm_id, lead_check_id, facts)
     select gen_random_uuid(), n.account_id, n.check_id, n.check_type, n.check_alert_id, n.alert_channel_id, n.type, 'resumed',
       false, 0, 'IN_PROGRESS', to_timestamp($2 / 1000.0), to_timestamp($2 / 1000.0), n.location_alarm_id, n.lead_check_id,
       jsonb_set(n.facts, '{alarm}', (n.facts -> 'alarm') || $3::jsonb)
     from alert_notifications n
     join alert_channels ch on ch.account_id = n.account_id and ch.id = n.alert_channel_id and ch.send_recovery
     where n.location_alarm_id = $1 and n.kind = 'unknown' and (n.status <> 'FAILURE' or n.accepted <> '{}')
     on conflict (location_alarm_id, alert_channel_id, kind) where location_alarm_id is not null do nothing`,
    [alarmId, now, facts],
  )
}
