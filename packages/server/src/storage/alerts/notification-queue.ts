// The queue of notifications: in order per channel and check, fair between channels.
import type { ChannelType, CheckType, RanAt } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'
import { retryConflicts } from '../core/retry-conflicts.ts'
import type { Client } from '../core/transaction.ts'
import type { AlertFacts } from './alert-writes.ts'

export interface ClaimedNotification {
  id: string
  accountId: string
  checkId: string
  checkType: CheckType
  channelId: number
  kind: 'failure' | 'degraded' | 'recovery' | 'ssl' | 'unknown' | 'resumed'
  isReminder: boolean
  reminderSequence: number
  accepted: string[]
  /** Including this attempt. */
  attempts: number
  /** False: the channel never accepted a message about what this one ends. */
  isKnown: boolean
  createdAt: string
  alert: {
    alertType: string
    name: string
    location: string
    ranAt: RanAt | null
    responseTimeMs: number | null
    statusCode: number | null
    error: string | null
    resultId: string | null
    startedAt: string
    episodeAt: string | null
    errorGroupId: string | null
    facts: AlertFacts
  }
  /** Null: it was deleted. */
  channel: { type: ChannelType; config: Record<string, unknown>; isFailing: boolean } | null
}

export interface ClaimOptions {
  now: number
  limit: number
  /** How many of one channel at once; `perFailingChannel` if it fails. */
  perChannel: number
  perFailingChannel: number
  /** How many failing channels are tried at once. */
  failingChannels: number
  /** Channels with enough notifications in flight. */
  busy: readonly number[]
  /** Types of channels that aren't claimed now. */
  pausedTypes?: readonly string[]
  leaseMs: number
}

// An earlier open notification of the same channel and check blocks later ones, whether it's claimed or waits for a retry.
// `waiting` is a loose index scan over channels, so the cost of a claim doesn't depend on the number of notifications.
// A subquery per row, not an anti-join, which would read all waiting rows before the first few. It reads the rows of the
// check (num_nulls), not the index of due rows, which the planner underestimates while it's empty.
// Healthy channels first, shuffled so that none starves.
const claimText = `
  with recursive waiting as (
    (select alert_channel_id as id from alert_notifications where due_at is not null order by alert_channel_id limit 1)
    union all
    select (select alert_channel_id from alert_notifications where due_at is not null and alert_channel_id > w.id
      order by alert_channel_id limit 1) from waiting w where w.id is not null
  ), channels as (
    select w.id, ch.failing_since is not null as is_failing,
      row_number() over (partition by ch.failing_since is not null order by random()) as turn
    from waiting w left join alert_channels ch on ch.id = w.id
    where w.id is not null and w.id <> all($4::integer[]) and coalesce(ch.type, '') <> all($8::text[])
  ), picked as (
    select n.check_id, n.id from (
      select * from channels where not is_failing or turn <= $7::integer order by is_failing, turn
    ) c cross join lateral (
      select check_id, id from alert_notifications n
      where n.alert_channel_id = c.id and n.due_at <= to_timestamp($1 / 1000.0) and (
        select true from alert_notifications e where e.alert_channel_id = n.alert_channel_id and e.check_id = n.check_id
          and e.place < n.place and num_nulls(e.due_at) = 0 limit 1) is null
      order by n.due_at limit case when c.is_failing then $6::integer else $3::integer end for update skip locked
    ) n limit $2::integer
  ), claimed as (
    update alert_notifications n set due_at = to_timestamp(($1 + $5) / 1000.0), attempts = n.attempts + 1,
      tried_at = to_timestamp($1 / 1000.0)
    from picked p where n.check_id = p.check_id and n.id = p.id
    returning n.*
  )
  select n.id, n.account_id as "accountId", n.check_id as "checkId", n.check_type as "checkType",
    n.alert_channel_id as "channelId", n.kind, n.is_reminder as "isReminder", n.reminder_sequence as "reminderSequence",
    n.accepted, n.attempts, n.created_at as "createdAt",
    case when n.kind = 'resumed' then exists (
      select from alert_notifications t where t.location_alarm_id = n.location_alarm_id
        and t.alert_channel_id = n.alert_channel_id and t.kind = 'unknown' and (t.status = 'SUCCESS' or t.accepted <> '{}'))
    else n.kind <> 'recovery' or n.episode_at is null or exists (
      select from alert_notifications t where t.check_id = n.check_id and t.episode_at = n.episode_at
        and t.alert_channel_id = n.alert_channel_id and t.kind in ('failure', 'degraded')
        and (t.status = 'SUCCESS' or t.accepted <> '{}')) end as "isKnown",
    case when n.location_alarm_id is null then json_build_object('alertType', a.alert_type, 'name', a.name, 'location', a.run_location, 'ranAt', a.ran_at,
      'responseTimeMs', a.response_time, 'statusCode', a.status_code, 'error', a.error, 'resultId', a.result_id,
      'startedAt', a.started_at, 'episodeAt', a.episode_at, 'errorGroupId', a.error_group_id,
      'facts', a.facts) else json_build_object(
      'alertType', case n.kind when 'resumed' then 'CHECKS_RESUMED' else 'CHECKS_UNKNOWN' end, 'name', '', 'location', '',
      'startedAt', n.created_at, 'facts', n.facts) end as alert,
    case when ch.id is null then null
      else json_build_object('type', ch.type, 'config', ch.config, 'isFailing', ch.failing_since is not null) end as channel
  from claimed n
  left join check_alerts a on a.check_id = n.check_id and a.id = n.check_alert_id
  left join alert_channels ch on ch.account_id = n.account_id and ch.id = n.alert_channel_id
  where n.location_alarm_id is not null or a.id is not null
  order by n.place`

export function claimNotifications(pool: Pool, options: ClaimOptions): Promise<ClaimedNotification[]> {
  const { now, limit, perChannel, perFailingChannel, failingChannels, busy, leaseMs, pausedTypes } = options
  return retryConflicts(async () => {
    const { rows } = await pool.query<ClaimedNotification>({
      name: 'claim_notifications',
      text: claimText,
      values: [now, limit, perChannel, busy, leaseMs, perFailingChannel, failingChannels, pausedTypes ?? []],
    })
    return rows
  })
}

/** `attempts` guards against claims that have expired: another process may have claimed the row since. */
interface Key {
  checkId: string
  id: string
  attempts: number
}

export async function finishNotification(
  client: Pick<Client, 'query'>,
  { checkId, id, attempts }: Key,
  { status, result }: { status: 'SUCCESS' | 'FAILURE'; result: string | null },
): Promise<void> {
  await client.query({
    name: 'finish_notification',
    text: `update alert_notifications set status = $3, notification_result = $4, due_at = null
      where check_id = $1 and id = $2 and attempts = $5 and due_at is not null`,
    values: [checkId, id, status, result, attempts],
  })
}

export async function retryNotification(
  client: Pick<Client, 'query'>,
  { checkId, id, attempts }: Key,
  { status, result, dueAt }: { status: 'IN_PROGRESS' | 'RATE_LIMITED'; result: string; dueAt: number },
): Promise<void> {
  await client.query({
    name: 'retry_notification',
    text: `update alert_notifications set status = $3, notification_result = $4, due_at = to_timestamp($5 / 1000.0)
      where check_id = $1 and id = $2 and attempts = $6 and due_at is not null`,
    values: [checkId, id, status, result, dueAt, attempts],
  })
}

export async function acceptPart(
  client: Pick<Client, 'query'>,
  { checkId, id }: Omit<Key, 'attempts'>,
  part: string,
) {
  await client.query({
    name: 'accept_notification_part',
    text: 'update alert_notifications set accepted = accepted || $3 where check_id = $1 and id = $2',
    values: [checkId, id, [part]],
  })
}

/** For the start of the only server: earlier claims belong to processes that have ended. */
export async function releaseNotifications(pool: Pool, now: number): Promise<void> {
  await pool.query(
    `update alert_notifications set due_at = to_timestamp($1 / 1000.0)
     where due_at > to_timestamp($1 / 1000.0) and status = 'IN_PROGRESS'`,
    [now],
  )
}

/** Reminders of episodes that are over and that haven't been tried. */
export async function deleteWaitingReminders(client: Client, checkIds: readonly string[]): Promise<void> {
  if (checkIds.length === 0) return
  await client.query({
    name: 'delete_waiting_reminders',
    text: `delete from alert_notifications
      where check_id = any($1::uuid[]) and is_reminder and due_at is not null and attempts = 0`,
    values: [checkIds],
  })
}
