// The timers of heartbeat monitors. A ping and an expiry lock the same row, so the second one sees the change of the first.
import { type HeartbeatState, heartbeatTimes } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'
import { groupByShard } from '../core/shards.ts'
import type { Client } from '../core/transaction.ts'

/** The monitor of a ping. */
export interface PingTarget {
  accountId: string
  checkId: string
  periodMs: number
  graceMs: number
}

export async function findPingTarget(pool: Pool, pingToken: string): Promise<PingTarget | null> {
  const { rows } = await pool.query<{
    id: string
    account_id: string
    heartbeat: Parameters<typeof heartbeatTimes>[0]
  }>({
    name: 'find_ping_target',
    text: `select id, account_id, settings -> 'heartbeat' as heartbeat from checks where ping_token = $1`,
    values: [pingToken],
  })
  const [row] = rows
  if (row === undefined) return null
  return { accountId: row.account_id, checkId: row.id, ...heartbeatTimes(row.heartbeat) }
}

export interface HeartbeatRow {
  accountId: string
  checkId: string
  /** Neither the check nor its group is deactivated. */
  isActive: boolean
  periodMs: number
  graceMs: number
  dueAt: number | null
  deadlineAt: number | null
  previousState: HeartbeatState | null
  previousAt: number | null
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

const columns = `h.account_id as "accountId", h.check_id as "checkId",
  c.activated and coalesce(g.activated, true) as "isActive", h.period_ms as "periodMs", h.grace_ms as "graceMs",
  ${ms('h.due_at')} as "dueAt", ${ms('h.deadline_at')} as "deadlineAt"`

const joins = `
  join checks c on c.account_id = h.account_id and c.id = h.check_id
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id`

type Timer = Omit<HeartbeatRow, 'previousState' | 'previousAt'>

async function addPrevious(client: Client, timers: Timer[]): Promise<HeartbeatRow[]> {
  const previous = new Map<string, Pick<HeartbeatRow, 'previousState' | 'previousAt'>>()
  for (const group of groupByShard(timers, ({ checkId }) => checkId)) {
    const { rows } = await client.query<
      { checkId: string } & Pick<HeartbeatRow, 'previousState' | 'previousAt'>
    >({
      name: 'last_heartbeat_events',
      text: `select k.check_id as "checkId", e.state as "previousState", ${ms('e.occurred_at')} as "previousAt"
        from unnest($1::uuid[]) as k (check_id) cross join lateral (
          select state, occurred_at from heartbeat_events
          where check_id = k.check_id and check_id = any($1::uuid[]) order by occurred_at desc limit 1
        ) e`,
      values: [group.map(({ checkId }) => checkId)],
    })
    for (const { checkId, ...event } of rows) previous.set(checkId, event)
  }
  return timers.map((timer) => ({
    ...timer,
    ...(previous.get(timer.checkId) ?? { previousState: null, previousAt: null }),
  }))
}

/** Inserts the row if it's missing: checks may be older than this table. Null: the check was deleted. */
export async function lockHeartbeat(client: Client, target: PingTarget): Promise<HeartbeatRow | null> {
  const { accountId, checkId, periodMs, graceMs } = target
  await client.query({
    name: 'ensure_heartbeat',
    text: `
      insert into heartbeats (account_id, check_id, period_ms, grace_ms)
      select account_id, id, $3, $4 from checks where account_id = $1 and id = $2 for key share
      on conflict do nothing`,
    values: [accountId, checkId, periodMs, graceMs],
  })
  // Locked by a separate statement: a statement that waits for a lock still reads joined rows as of its start.
  const lock = await client.query({
    name: 'lock_heartbeat',
    text: 'select from heartbeats where account_id = $1 and check_id = $2 for update',
    values: [accountId, checkId],
  })
  if (lock.rows.length === 0) return null
  const { rows } = await client.query<Timer & Record<string, unknown>>({
    name: 'read_heartbeat',
    text: `select ${columns} from heartbeats h ${joins} where h.account_id = $1 and h.check_id = $2`,
    values: [accountId, checkId],
  })
  return (await addPrevious(client, rows))[0] ?? null
}

/**
 * Locks monitors whose deadline has passed, except those that other servers have locked. None during an outage that isn't
 * recorded yet (no server was seen since `aliveSince`): recording it moves deadlines.
 */
export async function lockExpired(
  client: Client,
  { now, limit, aliveSince }: { now: number; limit: number; aliveSince: number },
): Promise<HeartbeatRow[]> {
  const locked = await client.query<{ check_id: string }>({
    name: 'lock_expired_heartbeats',
    text: `
      select check_id from heartbeats where deadline_at <= to_timestamp($1 / 1000.0)
        and coalesce((select max(last_seen_at) from servers), 'infinity') >= to_timestamp($3 / 1000.0)
      order by deadline_at limit $2 for update skip locked`,
    values: [now, limit, aliveSince],
  })
  if (locked.rows.length === 0) return []
  const { rows } = await client.query<Timer & Record<string, unknown>>({
    name: 'read_heartbeats',
    text: `select ${columns} from heartbeats h ${joins} where h.check_id = any($1::uuid[]) order by h.check_id`,
    values: [locked.rows.map(({ check_id }) => check_id)],
  })
  return addPrevious(client, rows)
}

export interface TimerChange {
  checkId: string
  /** Absent: the change isn't caused by a ping. */
  pingedAt?: number
  dueAt: number | null
  deadlineAt: number | null
}

export async function updateTimers(client: Client, changes: readonly TimerChange[]): Promise<void> {
  if (changes.length === 0) return
  await client.query({
    name: 'update_heartbeats',
    text: `
      update heartbeats h set last_ping_at = coalesce(to_timestamp(t.pinged_at / 1000.0), h.last_ping_at),
        due_at = to_timestamp(t.due_at / 1000.0), deadline_at = to_timestamp(t.deadline_at / 1000.0)
      from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[]) as t (check_id, pinged_at, due_at, deadline_at)
      where h.check_id = t.check_id`,
    values: [
      changes.map(({ checkId }) => checkId),
      changes.map(({ pingedAt }) => pingedAt ?? null),
      changes.map(({ dueAt }) => dueAt),
      changes.map(({ deadlineAt }) => deadlineAt),
    ],
  })
}

/**
 * Moves timers by the length of an outage, since no ping could arrive. Call it in the transaction that records the outage,
 * before deadlines are checked again.
 */
export async function shiftHeartbeats(client: Client, fromMs: number, toMs: number): Promise<void> {
  await client.query(
    `update heartbeats set
       due_at = due_at + $2 * interval '1 millisecond', deadline_at = deadline_at + $2 * interval '1 millisecond'
     where deadline_at > to_timestamp($1 / 1000.0)
       and due_at - period_ms * interval '1 millisecond' <= to_timestamp($1 / 1000.0)`,
    [fromMs, toMs - fromMs],
  )
}
