// Results, their details and artifacts are partitioned by day, rollups and coverage by month: old data is dropped as a
// whole table.
import type { Client } from './transaction.ts'

const dayMs = 86_400_000

interface Partition {
  table: string
  name: string
  from: string
  to: string
}

export const dailyTables = ['results', 'result_details', 'unsampled_details', 'artifacts'] as const
export const monthlyTables = ['rollups', 'coverage'] as const

const partitionLock = 727004

export function ensureDays(client: Client, instants: Iterable<number>): Promise<void> {
  const days = new Set(Array.from(instants, (instant) => Math.floor(instant / dayMs)))
  return ensure(
    client,
    [...days].flatMap((day) => dailyTables.map((table) => dayPartition(table, day * dayMs))),
  )
}

export function ensureMonths(client: Client, instants: Iterable<number>): Promise<void> {
  const months = new Set(Array.from(instants, (instant) => new Date(instant).toISOString().slice(0, 7)))
  return ensure(
    client,
    [...months].flatMap((month) => monthlyTables.map((table) => monthPartition(table, month))),
  )
}

function dayPartition(table: string, start: number): Partition {
  const from = new Date(start).toISOString()
  return {
    table,
    name: `${table}_${from.slice(0, 10).replaceAll('-', '')}`,
    from,
    to: new Date(start + dayMs).toISOString(),
  }
}

function monthPartition(table: string, month: string): Partition {
  const start = new Date(`${month}-01T00:00:00.000Z`)
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
  return {
    table,
    name: `${table}_${month.replace('-', '')}`,
    from: start.toISOString(),
    to: end.toISOString(),
  }
}

async function ensure(client: Client, partitions: Partition[]): Promise<void> {
  if ((await findMissing(client, partitions)).length === 0) return
  await client.query('select pg_advisory_xact_lock($1)', [partitionLock])
  // The transaction that held the lock may have created them.
  const absent = new Set(await findMissing(client, partitions))
  for (const partition of partitions.filter(({ name }) => absent.has(name))) await create(client, partition)
}

// Not to_regclass: it reads a cache that a query without a table doesn't refresh.
async function findMissing(client: Client, partitions: Partition[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>({
    name: 'existing_partitions',
    text: `select relname as name from pg_class where relname = any($1::text[]) and relnamespace = 'public'::regnamespace`,
    values: [partitions.map(({ name }) => name)],
  })
  const existing = new Set(rows.map(({ name }) => name))
  return partitions.map(({ name }) => name).filter((name) => !existing.has(name))
}

/** Creates the table first and then attaches it: that doesn't block readers and writers of the other partitions. */
async function create(client: Client, { table, name, from, to }: Partition): Promise<void> {
  await client.query(`create table ${name} (like ${table} including defaults including constraints)`)
  await client.query(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`)
}
