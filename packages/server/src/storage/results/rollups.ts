// Writes rollups: pending hours, the runs in them, and the rows that sum them up.
import { columnKinds, insertMany } from '../core/insert-many.ts'
import { ensureMonths } from '../core/partitions.ts'
import type { Client } from '../core/transaction.ts'

/** One server at a time: the day of a check is summed up from hours that must not change meanwhile. */
const rollupLock = 727005

export async function lockRollup(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>({
    name: 'lock_fold',
    text: 'select pg_try_advisory_xact_lock($1) as locked',
    values: [rollupLock],
  })
  return rows[0]?.locked === true
}

export interface CheckHour {
  accountId: string
  checkId: string
  /** When it begins, in milliseconds. */
  hour: number
}

/** The oldest first. */
export async function listPendingHours(
  client: Client,
  { begunBy, limit }: { begunBy: number; limit: number },
): Promise<CheckHour[]> {
  const { rows } = await client.query<{ account_id: string; check_id: string; hour: number }>({
    name: 'list_pending_hours',
    text: `select account_id, check_id, date_part('epoch', hour) * 1000 as hour from rollup_pending
      where hour <= to_timestamp($1 / 1000.0)
      order by rollup_pending.hour, check_id limit $2`,
    values: [begunBy, limit],
  })
  return rows.map((row) => ({ accountId: row.account_id, checkId: row.check_id, hour: row.hour }))
}

/**
 * Call it before reading the results: it waits for transactions that are marking these hours, and later ones wait for it
 * and mark them again.
 */
export async function deletePendingHours(client: Client, pending: CheckHour[]): Promise<void> {
  // In the order of the transactions that mark hours.
  const hours = pending.toSorted((a, b) =>
    a.checkId < b.checkId ? -1 : a.checkId > b.checkId ? 1 : a.hour - b.hour,
  )
  await client.query({
    name: 'delete_pending_hours',
    text: `delete from rollup_pending p using unnest($1::uuid[], $2::float8[]) as done (check_id, hour)
      where p.check_id = done.check_id and p.hour = to_timestamp(done.hour / 1000)`,
    values: [hours.map(({ checkId }) => checkId), hours.map(({ hour }) => hour)],
  })
}

export interface RecordedRuns {
  /** The index of the hour in the query. */
  index: number
  location: string
  dimension: string
  outcome: 'success' | 'failure' | 'error' | 'cancelled'
  runs: number
  degraded: number
  retries: number
  /** One list per run, in the order of the contract. */
  metrics: (number | null)[][]
  /** Of scheduled runs: how long after their slot the first attempt began. */
  lags: number[] | null
}

/** SQL for the outcome of a result. */
export const outcomeOf = (table: string) =>
  `case when ${table}.is_cancelled then 'cancelled' when ${table}.has_errors then 'error'
    when ${table}.has_failures then 'failure' else 'success' end`

// A lateral subquery with "group by" isn't flattened, so the planner uses one index range per hour.
const recordedText = `
  select h.n::int - 1 as index, r.location, r.dimension, r.outcome, r.runs, r.degraded, r.retries, r.metrics, r.lags
  from unnest($1::uuid[], $2::float8[]) with ordinality as h (check_id, hour, n)
  cross join lateral (
    select r.check_id, r.location, coalesce(r.status_code::text, '') as dimension, ${outcomeOf('r')} as outcome,
      count(*)::int as runs, count(*) filter (where r.is_degraded)::int as degraded, sum(r.attempt - 1)::int as retries,
      json_agg(r.metrics) as metrics,
      json_agg(date_part('epoch', greatest(interval '0', case when r.attempt = 1 then r.started_at else coalesce((
          select f.started_at from results f
          where f.check_id = r.check_id and f.scheduled_at = r.scheduled_at and f.run_id = r.run_id and f.attempt = 1
        ), r.started_at) end - r.scheduled_at)) * 1000) filter (where r.source = 'schedule') as lags
    from results r
    where r.check_id = h.check_id and r.result_type = 'FINAL'
      and r.scheduled_at >= to_timestamp(h.hour / 1000) and r.scheduled_at < to_timestamp(h.hour / 1000 + 3600)
      and r.scheduled_at >= to_timestamp($3 / 1000.0) and r.scheduled_at < to_timestamp($4 / 1000.0 + 3600)
    group by 1, 2, 3, 4
  ) r`

export async function readRecordedRuns(client: Client, hours: CheckHour[]): Promise<RecordedRuns[]> {
  const starts = hours.map(({ hour }) => hour)
  const { rows } = await client.query<RecordedRuns>({
    text: recordedText,
    values: [hours.map(({ checkId }) => checkId), starts, Math.min(...starts), Math.max(...starts)],
  })
  return rows
}

type Grain = 'hour' | 'day'

export interface RollupKey {
  accountId: string
  checkId: string
  grain: Grain
  /** Milliseconds. */
  bucketAt: number
}

export interface RollupRow extends RollupKey {
  location: string
  dimension: string
  outcome: string
  runs: number
  degraded: number
  retries: number
  sketches: Buffer[]
}

const rollupColumns = `r.account_id as "accountId", r.check_id as "checkId", r.grain,
  r.bucket_at as "bucketAt", r.location, r.dimension, r.outcome, r.runs, r.degraded,
  r.retries, array_to_string(array(select encode(s, 'hex') from unnest(r.sketches) s), ',') as sketches`

/** Sketches as one text: the driver parses an array of bytes character by character. */
interface RollupText extends Omit<RollupRow, 'sketches' | 'bucketAt'> {
  bucketAt: string
  sketches: string
}

function readRollup(row: RollupText): RollupRow {
  const texts = row.sketches === '' ? [] : row.sketches.split(',')
  return {
    ...row,
    bucketAt: Date.parse(row.bucketAt),
    sketches: texts.map((text) => Buffer.from(text, 'hex')),
  }
}

const bucketKeys = `unnest($1::uuid[], $2::text[], $3::float8[]) as k (check_id, grain, bucket_at)`
const inBucket = `r.check_id = k.check_id and r.grain = k.grain and r.bucket_at = to_timestamp(k.bucket_at / 1000)`

/** Returns the deleted rows. Only one transaction at a time writes rollups, so reading them first is safe. */
export async function deleteRollups(client: Client, keys: RollupKey[]): Promise<RollupRow[]> {
  const rows = await listRollups(client, keys)
  await client.query(`delete from rollups r using ${bucketKeys} where ${inBucket}`, keyValues(keys))
  return rows
}

export async function listRollups(client: Client, keys: RollupKey[]): Promise<RollupRow[]> {
  if (keys.length === 0) return []
  const { rows } = await client.query<RollupText>({
    text: `select ${rollupColumns} from ${bucketKeys} join rollups r on ${inBucket}`,
    values: keyValues(keys),
  })
  return rows.map(readRollup)
}

function keyValues(keys: RollupKey[]): unknown[] {
  return [keys.map((key) => key.checkId), keys.map((key) => key.grain), keys.map((key) => key.bucketAt)]
}

const rollup = columnKinds<RollupRow>()

const insertRollupRows = insertMany('insert_rollups', 'rollups', {
  account_id: rollup.uuid((row) => row.accountId),
  check_id: rollup.uuid((row) => row.checkId),
  grain: rollup.word((row) => row.grain),
  bucket_at: rollup.instant((row) => row.bucketAt),
  location: rollup.text((row) => row.location),
  dimension: rollup.text((row) => row.dimension),
  outcome: rollup.word((row) => row.outcome),
  runs: rollup.integer((row) => row.runs),
  degraded: rollup.integer((row) => row.degraded),
  retries: rollup.integer((row) => row.retries),
  sketches: rollup.array('bytea', (row) => byteaArray(row.sketches)),
})

export async function insertRollups(client: Client, rows: RollupRow[]): Promise<void> {
  if (rows.length === 0) return
  await ensureMonths(
    client,
    rows.map(({ bucketAt }) => bucketAt),
  )
  await insertRollupRows(client, rows)
}

/** Inner arrays of an array of arrays are passed as text. */
function byteaArray(values: Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`
}

export interface ExecutedRuns extends CheckHour {
  location: string
  executed: number
  lag: Buffer
}

const executed = columnKinds<ExecutedRuns>()

const upsertExecuted = insertMany(
  'write_executed',
  'coverage',
  {
    account_id: executed.uuid((row) => row.accountId),
    check_id: executed.uuid((row) => row.checkId),
    hour: executed.instant((row) => row.hour),
    location: executed.text((row) => row.location),
    executed: executed.integer((row) => row.executed),
    lag: executed.bytes((row) => row.lag),
  },
  {
    // All writers lock rows in the same order, so that they don't deadlock.
    source: 'order by r.check_id, r.hour, r.location',
    onConflict: '(check_id, hour, location) do update set executed = excluded.executed, lag = excluded.lag',
  },
)

export async function writeExecuted(client: Client, rows: ExecutedRuns[]): Promise<void> {
  if (rows.length === 0) return
  await ensureMonths(
    client,
    rows.map(({ hour }) => hour),
  )
  await upsertExecuted(client, rows)
}
