// Events of heartbeat monitors: pings, and missing pings.
import type { HeartbeatState } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
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

const event = columnKinds<NewHeartbeatEvent>()

const insertEvents = insertMany('insert_heartbeat_events', 'heartbeat_events', {
  id: event.uuid((row) => row.id),
  account_id: event.uuid((row) => row.accountId),
  check_id: event.uuid((row) => row.checkId),
  state: event.word((row) => row.state),
  occurred_at: event.instant((row) => row.occurredAt),
  source: event.text((row) => row.source),
  user_agent: event.text((row) => row.userAgent),
})

export async function insertHeartbeatEvents(
  client: Client,
  events: readonly NewHeartbeatEvent[],
): Promise<void> {
  await insertEvents(client, events)
}

/** Other types have no events. */
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

/** Milliseconds; `to` is exclusive. */
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
