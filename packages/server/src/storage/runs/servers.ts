// The server processes of this database, and outages: times without any.

import type { ServerRank } from '../../core/server-turns.ts'
import { shiftHeartbeats } from '../checks/heartbeats.ts'
import type { Pool } from '../core/db.ts'
import { type Client, inTransaction } from '../core/transaction.ts'

export interface Outage {
  from: number
  to: number
}

/** A server that wasn't seen for longer has ended. */
const goneAfterMs = 10_000
/** A longer time without any server is an outage. */
export const outageAfterMs = 15_000
/** How long agents have to deliver journaled results before their runs are claimed again. */
const lateResultsMs = 30_000

const lockKey = 727_011

interface Touch extends ServerRank {
  /** The one that ends with it, or null. Of two servers that start together, one gets it. */
  outage: Outage | null
}

/** Records that a server is alive: at its start before it serves requests, then every `touchEveryMs`. */
export async function touchServer(
  pool: Pool,
  serverId: string,
  nowMs: number,
  onOutage?: (client: Client, outage: Outage) => Promise<void>,
): Promise<Touch> {
  const rank = await touchAmongSame(pool, serverId, nowMs)
  if (rank !== null) return { outage: null, ...rank }
  return inTransaction(pool, async (client) => {
    const touch = await recordPresence(client, serverId, nowMs)
    if (touch.outage !== null) await onOutage?.(client, touch.outage)
    return touch
  })
}

export const touchEveryMs = 2000

/** In one statement. Null, and nothing is recorded: this server is new, another one has ended, or an outage ends. */
async function touchAmongSame(pool: Pool, serverId: string, nowMs: number): Promise<ServerRank | null> {
  const { rows } = await pool.query<{ alive: string[] }>({
    name: 'touch_server',
    text: `with touched as (
        update servers set last_seen_at = greatest(last_seen_at, $2) where id = $1
          and not exists (select from servers where last_seen_at < $3) returning id)
      select array(select id from servers order by started_at, id) as alive from touched`,
    values: [serverId, new Date(nowMs), new Date(nowMs - goneAfterMs)],
  })
  const alive = rows[0]?.alive
  return alive === undefined ? null : rankAmong(alive, serverId)
}

function rankAmong(alive: readonly string[], serverId: string): ServerRank {
  return { rank: alive.indexOf(serverId), count: alive.length }
}

async function recordPresence(client: Client, serverId: string, nowMs: number): Promise<Touch> {
  await client.query('select pg_advisory_xact_lock($1)', [lockKey])
  const now = new Date(nowMs)
  const { rows } = await client.query<{ seen: string | null }>(
    'select max(last_seen_at) as seen from servers',
  )
  const seen = rows[0]?.seen ?? null
  const seenMs = seen === null ? nowMs : Date.parse(seen)
  const outage = nowMs - seenMs > outageAfterMs ? { from: seenMs, to: nowMs } : null
  if (outage !== null) {
    await insertOutage(client, outage)
    await lengthenLeases(client, outage)
    await shiftHeartbeats(client, outage.from, outage.to)
  }
  await client.query(
    `insert into servers as s (id, started_at, last_seen_at) values ($1, $2, $2)
     on conflict (id) do update set last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at)`,
    [serverId, now],
  )
  await client.query('delete from servers where last_seen_at < $1 and id <> $2', [
    new Date(nowMs - goneAfterMs),
    serverId,
  ])
  const { rows: alive } = await client.query<{ id: string }>('select id from servers order by started_at, id')
  const ids = alive.map(({ id }) => id)
  return { outage, ...rankAmong(ids, serverId) }
}

async function insertOutage(client: Client, { from, to }: Outage): Promise<void> {
  await client.query(
    `insert into outages as o (began_at, ended_at) values ($1, $2)
     on conflict (began_at) do update set ended_at = greatest(o.ended_at, excluded.ended_at)`,
    [new Date(from), new Date(to)],
  )
}

async function lengthenLeases(client: Client, { from, to }: Outage): Promise<void> {
  const until = new Date(to + lateResultsMs)
  await client.query(
    'update schedule set due_at = $1 where lease_id is not null and due_at >= $2 and due_at < $1',
    [until, new Date(from)],
  )
}

/** Outages that overlap a time span, oldest first; not clipped. */
export async function listOutages(client: Client, fromMs: number, toMs: number): Promise<Outage[]> {
  const { rows } = await client.query<{ began_at: string; ended_at: string }>({
    name: 'list_outages',
    text: 'select began_at, ended_at from outages where ended_at > $1 and began_at < $2 order by began_at',
    values: [new Date(fromMs), new Date(toMs)],
  })
  return rows.map(({ began_at, ended_at }) => ({ from: Date.parse(began_at), to: Date.parse(ended_at) }))
}

/**
 * The same for a past time span, including an outage that isn't recorded yet. A server without its database isn't alive;
 * when the database is back, runs may be claimed and slots counted before the first server records the outage.
 */
export async function listOutagesUpTo(client: Client, fromMs: number, toMs: number): Promise<Outage[]> {
  const recorded = await listOutages(client, fromMs, toMs)
  const { rows } = await client.query<{ seen: string | null }>(
    'select max(last_seen_at) as seen from servers',
  )
  const seen = rows[0]?.seen ?? null
  if (seen === null || toMs - Date.parse(seen) <= outageAfterMs) return recorded
  return [...recorded, { from: Date.parse(seen), to: toMs }]
}

/** The number of servers that are alive. */
export async function countServers(pool: Pool, nowMs: number): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    'select count(*) as total from servers where last_seen_at >= $1',
    [new Date(nowMs - goneAfterMs)],
  )
  return rows[0]?.total ?? 0
}

/** Since when there has been a server without interruption: the end of the last outage, or the start of the oldest server. */
export async function steadySince(client: Client, nowMs: number): Promise<number | null> {
  const { rows } = await client.query<{ since: string | null }>(
    `select greatest((select max(ended_at) from outages where ended_at <= $1),
       (select min(started_at) from servers where last_seen_at >= $2)) as since`,
    [new Date(nowMs), new Date(nowMs - goneAfterMs)],
  )
  const since = rows[0]?.since ?? null
  return since === null ? null : Date.parse(since)
}
