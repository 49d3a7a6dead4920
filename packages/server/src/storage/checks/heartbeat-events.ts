// What became of the pings of heartbeat monitors, and the pings that did not come.
import type { HeartbeatState } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type HeartbeatEventRow = Selectable<Tables['heartbeat_events']>

export interface NewHeartbeatEvent {
  id: string
  accountId: string
  checkId: string
  state: HeartbeatState
  occurredAt: number
  source: string | null
  userAgent: string | null
}

export async function insertHeartbeatEvents(
  client: Client,
  events: readonly NewHeartbeatEvent[],
): Promise<void> {
  if (events.length === 0) return
  await client.query({
    name: 'insert_heartbeat_events',
    text: `
      insert into heartbeat_events (id, account_id, check_id, state, occurred_at, source, user_agent)
      select id, account_id, check_id, state, to_timestamp(occurred_at / 1000.0), source, user_agent
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::float8[], $6::text[], $7::text[])
        as e (id, account_id, check_id, state, occurred_at, source, user_agent)`,
    values: [
      events.map((event) => event.id),
      events.map((event) => event.accountId),
      events.map((event) => event.checkId),
      events.map((event) => event.state),
      events.map((event) => event.occurredAt),
      events.map((event) => event.source),
      events.map((event) => event.userAgent),
    ],
  })
}

/** A monitor and nothing else: other types have no events. */
export async function isHeartbeatCheck(db: Db, accountId: string, checkId: string): Promise<boolean> {
  const row = await db
    .selectFrom('checks')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', checkId)
    .where('check_type', '=', 'HEARTBEAT')
    .executeTakeFirst()
  return row !== undefined
}

/** Milliseconds; the end is not part of it. */
export interface EventPeriod {
  from: number
  to: number
}

/** The latest first. */
export async function listHeartbeatEvents(
  db: Db,
  accountId: string,
  checkId: string,
  { from, to, limit }: Partial<EventPeriod> & { limit: number },
): Promise<HeartbeatEventRow[]> {
  let events = db
    .selectFrom('heartbeat_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('check_id', '=', checkId)
  if (from !== undefined) events = events.where('occurred_at', '>=', new Date(from).toISOString())
  if (to !== undefined) events = events.where('occurred_at', '<', new Date(to).toISOString())
  return events.orderBy('occurred_at', 'desc').orderBy('id').limit(limit).execute()
}

export async function findHeartbeatEvent(
  db: Db,
  accountId: string,
  checkId: string,
  id: string,
): Promise<HeartbeatEventRow | null> {
  const event = db
    .selectFrom('heartbeat_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('check_id', '=', checkId)
    .where('id', '=', id)
  return (await event.executeTakeFirst()) ?? null
}

export interface EventCounts {
  total: number
  failing: number
}

export async function countHeartbeatEvents(
  db: Db,
  accountId: string,
  checkId: string,
  { from, to }: EventPeriod,
): Promise<EventCounts> {
  const { rows } = await sql<EventCounts>`
    select count(*) as total, count(*) filter (where state = 'FAILING') as failing from heartbeat_events
    where account_id = ${accountId} and check_id = ${checkId}
      and occurred_at >= ${new Date(from)} and occurred_at < ${new Date(to)}`.execute(db)
  return rows[0] ?? { total: 0, failing: 0 }
}
