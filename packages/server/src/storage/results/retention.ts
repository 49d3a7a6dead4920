// Deletes old data: whole partitions, and rows of small tables in batches.
import { keysOf } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import type pg from 'pg'
import type { Pool } from '../core/db.ts'
import type { dailyTables, monthlyTables } from '../core/partitions.ts'
import type { Client } from '../core/transaction.ts'
import { examineBlobsOf } from './artifacts.ts'

type PartitionedTable = (typeof dailyTables | typeof monthlyTables)[number]

export interface OldPartition {
  table: PartitionedTable
  name: string
  /** When the first instant of it is, and the first one after it; milliseconds. */
  from: number
  to: number
}

const lockKey = 727_012

/** Runs `work` on a separate connection; false: another server has the lock. */
export async function withRetentionLock(
  pool: Pool,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<boolean> {
  const client = await pool.connect()
  let broken: Error | boolean = false
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      lockKey,
    ])
    if (rows[0]?.locked !== true) return false
    try {
      await work(client)
      return true
    } finally {
      // The lock belongs to the connection: if it can't be released, the pool must discard the connection.
      await client.query('select pg_advisory_unlock($1)', [lockKey]).catch((error: Error) => {
        broken = error
      })
    }
  } finally {
    client.release(broken)
  }
}

/** By name, oldest first: the bounds themselves are printed in the session's time zone. */
export async function listPartitions(client: Client, table: PartitionedTable): Promise<OldPartition[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = $1::regclass order by c.relname`,
    [table],
  )
  return rows.flatMap(({ name }) => {
    const span = spanOf(name.slice(table.length + 1))
    return span === null ? [] : [{ table, name, ...span }]
  })
}

function spanOf(digits: string): { from: number; to: number } | null {
  const match = /^(\d{4})(\d{2})(\d{2})?$/.exec(digits)
  if (match === null) return null
  const [year, month] = [Number(match[1]), Number(match[2]) - 1]
  if (match[3] === undefined) return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) }
  const day = Number(match[3])
  return { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
}

export type Dropped = 'dropped' | 'busy' | 'pending'

/**
 * Waiting for the lock would block all readers and writers behind it, so the timeout is short: `busy` means to retry later.
 * Results that aren't rolled up yet stay.
 */
export async function dropPartition(
  client: Client,
  { table, name, from, to }: OldPartition,
): Promise<Dropped> {
  return withBriefLock(client, async () => {
    await client.query(`lock table ${name} in access exclusive mode`)
    if (table === 'results' && (await isPending(client, from, to))) return 'pending'
    if (table === 'artifacts') await examineBlobsOf(client, name)
    await client.query(`drop table ${name}`)
    return 'dropped'
  })
}

/** For the partition of today, which is written to: deletes its rows and keeps the table. */
export async function emptyPartition(client: Client, { table, name }: OldPartition): Promise<Dropped> {
  return withBriefLock(client, async () => {
    if (table === 'artifacts') await examineBlobsOf(client, name)
    await client.query(`truncate ${name}`)
    return 'dropped'
  })
}

export async function partitionBytes(client: Client, { name }: OldPartition): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'select coalesce(pg_total_relation_size(to_regclass($1)), 0) as bytes',
    [name],
  )
  return rows[0]?.bytes ?? 0
}

async function withBriefLock(client: Client, work: () => Promise<Dropped>): Promise<Dropped> {
  await client.query('begin')
  try {
    await client.query("set local lock_timeout = '200ms'")
    const outcome = await work()
    await client.query('commit')
    return outcome
  } catch (error) {
    await client.query('rollback')
    if (errorCode(error) === lockNotAvailable) return 'busy'
    throw error
  }
}

const lockNotAvailable = '55P03'

async function isPending(client: Client, from: number, to: number): Promise<boolean> {
  const { rows } = await client.query(
    'select hour from rollup_pending where hour >= $1 and hour < $2 limit 1',
    [new Date(from), new Date(to)],
  )
  return rows.length > 0
}

/** The source of rows older than `$1`. For large tables it joins the table that the index begins with. */
const oldRows = {
  check_sessions: 'check_sessions old where started_at < $1',
  test_sessions: 'accounts a join test_sessions old on old.account_id = a.id and old.started_at < $1',
  parallel_runs: 'checks c join parallel_runs old on old.check_id = c.id and old.scheduled_at < $1',
  // Alerts that reminders of an open episode repeat stay.
  check_alerts: `check_alerts old where old.created_at < $1
    and not exists (select from alert_states s where s.check_id = old.check_id and s.alert_id = old.id)`,
  // A row with due_at is still pending. Rows of an open episode stay, since their channels must be notified of its end.
  alert_notifications: `accounts a join alert_notifications old on old.account_id = a.id and old.created_at < $1
    and old.due_at is null
    and not exists (select from alert_states s where s.check_id = old.check_id and s.episode_at = old.episode_at)`,
  alert_states:
    'alert_states old where episode_at < $1 and not exists (select from checks c where c.id = old.check_id)',
  certificate_chains: 'checks c join certificate_chains old on old.check_id = c.id and old.last_seen_at < $1',
  audit_entries: 'audit_entries old where created_at < $1',
  mails: 'mails old where created_at < $1 and due_at is null',
  page_webhook_deliveries: 'page_webhook_deliveries old where created_at < $1 and due_at is null',
  root_cause_analyses: 'root_cause_analyses old where created_at < $1 and due_at is null',
  location_alarms: 'location_alarms old where resolved_at < $1',
  outages: 'outages old where ended_at < $1',
  sign_ins: 'sign_ins old where expires_at < $1',
  one_time_links: 'one_time_links old where expires_at < $1',
  sign_in_attempts: 'sign_in_attempts old where failed_at < $1',
  sign_in_challenges: 'sign_in_challenges old where expires_at < $1',
  private_location_metrics:
    'private_locations l join private_location_metrics old on old.private_location_id = l.id and old.measured_at < $1',
  // The last agent of a private location stays: it shows since when the location has no agent.
  agents: `agents old where last_seen_at < $1 and (private_location_id is null or exists (
    select from agents later where later.private_location_id = old.private_location_id
      and (later.last_seen_at, later.id) > (old.last_seen_at, old.id)))`,
} as const

/** Rows of checks, which may be distributed by check: the column with their time. */
const oldHistory = { missed_runs: 'scheduled_at', heartbeat_events: 'occurred_at' } as const

export type SweptTable = keyof typeof oldRows | keyof typeof oldHistory
export const sweptTables = [...keysOf(oldRows), ...keysOf(oldHistory)]

/** Small batches, so that no statement holds locks for long. */
export async function deleteOldRows(
  client: Client,
  table: SweptTable,
  beforeMs: number,
  batch = 2000,
): Promise<number> {
  if (table === 'missed_runs' || table === 'heartbeat_events')
    return deleteOldHistory(client, table, beforeMs, batch)
  let total = 0
  for (;;) {
    const { rows } = await client.query<{ deleted: number }>(
      `with gone as (
         delete from ${table} where ctid in (select old.ctid from ${oldRows[table]} limit ${batch})
         returning 1)
       select count(*) as deleted from gone`,
      [new Date(beforeMs)],
    )
    const deleted = rows[0]?.deleted ?? 0
    total += deleted
    if (deleted < batch) return total
  }
}

/** By check, since indexes begin with it: also rows of deleted checks, which an older release may have left. */
async function deleteOldHistory(
  client: Client,
  table: keyof typeof oldHistory,
  beforeMs: number,
  batch: number,
): Promise<number> {
  let total = 0
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows: checks } = await client.query<{ id: string }>(
      `select distinct check_id as id from (
         select check_id from ${table} where check_id > $1 order by check_id limit $2) t order by id`,
      [after, batch],
    )
    const last = checks.at(-1)
    if (last === undefined) return total
    after = last.id
    const { rows } = await client.query<{ deleted: number }>(
      `with gone as (
         delete from ${table} where check_id = any($2::uuid[]) and ${oldHistory[table]} < $1 returning 1)
       select count(*) as deleted from gone`,
      [new Date(beforeMs), checks.map(({ id }) => id)],
    )
    total += rows[0]?.deleted ?? 0
  }
}
