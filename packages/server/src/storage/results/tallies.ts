// Sums over runs of checks, per location, status code and outcome: days and hours that are rolled up from their rollups,
// the rest from results, in one statement and therefore in one snapshot. On distributed tables the whole statement runs on
// each shard, and a check is on one shard: its tables are joined by check_id, and every part returns it.
import { type CheckType, dayMs } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'
import { outcomeOf } from './rollups.ts'

export interface Tally {
  /** The index of the check in the query. */
  check: number
  /** The start of the bucket, hour or day, in milliseconds. */
  at: number
  location: string
  dimension: string
  outcome: string
  runs: number
  degraded: number
  retries: number
  /** Per metric, if it comes from rollups. */
  sketches: (Buffer | null)[]
  /** Per metric, if it comes from results. */
  values: (number | null)[][] | null
}

export interface TallyQuery {
  accountId: string
  /** With the indexes of the requested metrics, equally many for each check. */
  checks: { id: string; metricIndexes: (number | null)[] }[]
  /** As analytics/range.ts cuts a range; milliseconds. */
  parts: { from: number; hoursFrom: number; daysFrom: number; daysTo: number; hoursTo: number; to: number }
  /** Results are grouped into buckets of this length, counted from a Monday; null: one bucket. */
  bucketMs: number | null
  outcomes: string[]
}

function bordersOf({ from, hoursFrom, daysFrom, daysTo, hoursTo, to }: TallyQuery['parts']): number[] {
  return [from, hoursFrom, daysFrom, daysTo, hoursTo, to]
}

/** Longer than any range. */
const foreverMs = 400_000 * 86_400_000

export async function readTallies(pool: Pool, query: TallyQuery): Promise<Tally[]> {
  const { accountId, checks, parts, bucketMs, outcomes } = query
  if (checks.length === 0) return []
  const count = checks[0]?.metricIndexes.length ?? 0
  const indexes = indexesOf(checks.map(({ id }) => id))
  const { rows } = await pool.query<Columns>({
    name: `read_tallies_${count}`,
    text: textFor(count),
    rowMode: 'array',
    values: [
      accountId,
      [...indexes.keys()],
      ...bordersOf(parts),
      (bucketMs ?? foreverMs) / 1000,
      outcomes,
      ...Array.from({ length: count }, (_, n) =>
        checks.map(({ metricIndexes }) => (metricIndexes[n] ?? -1) + 1),
      ),
    ],
  })
  return rows.map((row) => tallyOf(row, indexes))
}

function indexesOf(checkIds: string[]): Map<string, number> {
  return new Map(checkIds.map((id, index) => [id, index]))
}

export interface OutcomeCount {
  /** The index of the check in the query. */
  check: number
  outcome: string
  runs: number
}

/** Only the number of runs, added up by the database: for many checks at once. */
export async function countOutcomes(
  pool: Pool,
  { accountId, checkIds, parts, outcomes }: Omit<TallyQuery, 'checks' | 'bucketMs'> & { checkIds: string[] },
): Promise<OutcomeCount[]> {
  if (checkIds.length === 0) return []
  const indexes = indexesOf(checkIds)
  const { rows } = await pool.query<Omit<OutcomeCount, 'check'> & { checkId: string }>({
    name: 'count_outcomes',
    text: `select t.check_id as "checkId", t.outcome, sum(t.runs)::int as runs from (${textFor(0)}) t
      group by t.check_id, t.outcome`,
    values: [accountId, checkIds, ...bordersOf(parts), foreverMs / 1000, outcomes],
  })
  return rows.map(({ checkId, outcome, runs }) => ({ check: indexes.get(checkId) ?? -1, outcome, runs }))
}

export interface DayOfRuns {
  /** The start of the day in UTC, in milliseconds. */
  day: number
  type: CheckType
  outcome: string
  runs: number
  degraded: number
  retries: number
}

/** Runs per day and type of check, added up by the database: for all checks of an account at once. */
export async function countRunsByDay(
  pool: Pool,
  {
    accountId,
    checks,
    parts,
    outcomes,
  }: Omit<TallyQuery, 'checks' | 'bucketMs'> & { checks: { id: string; type: CheckType }[] },
): Promise<DayOfRuns[]> {
  if (checks.length === 0) return []
  const { rows } = await pool.query<DayOfRuns>({
    name: 'count_runs_by_day',
    text: `select floor(t.at / 86400) * 86400000 as day, c.type, t.outcome,
        sum(t.runs)::int as runs, sum(t.degraded)::int as degraded, sum(t.retries)::int as retries
      from (${textFor(0)}) t join unnest($2::uuid[], $11::text[]) as c (check_id, type) on c.check_id = t.check_id
      group by 1, 2, 3`,
    values: [
      accountId,
      checks.map(({ id }) => id),
      ...bordersOf(parts),
      dayMs / 1000,
      outcomes,
      checks.map(({ type }) => type),
    ],
  })
  return rows
}

type Columns = [
  string,
  number,
  string,
  string,
  string,
  number,
  number,
  number,
  (number | null)[][] | null,
  ...(Buffer | null)[],
]

function tallyOf(
  [checkId, at, location, dimension, outcome, runs, degraded, retries, values, ...sketches]: Columns,
  indexes: Map<string, number>,
): Tally {
  const check = indexes.get(checkId) ?? -1
  return { check, at: at * 1000, location, dimension, outcome, runs, degraded, retries, values, sketches }
}

const texts = new Map<number, string>()

function textFor(count: number): string {
  const known = texts.get(count)
  if (known !== undefined) return known
  const text = tallyText(Array.from({ length: count }, (_, n) => `s${n}`))
  texts.set(count, text)
  return text
}

const instantOf = (parameter: number) => `to_timestamp($${parameter} / 1000.0)`
const from = instantOf(3)
const hoursFrom = instantOf(4)
const daysFrom = instantOf(5)
const daysTo = instantOf(6)
const hoursTo = instantOf(7)
const to = instantOf(8)

// Every table is restricted to the ids: then only their shards are read.
// A lateral subquery with "group by" isn't flattened, so the planner uses one index range for each of its rows.
function tallyText(slots: string[]): string {
  const arrays = slots.map((_, n) => `, $${n + 11}::int[]`).join('')
  const names = slots.map((slot) => `, ${slot}`).join('')
  const wanted = `unnest($2::uuid[]${arrays}) as w (check_id${names})`
  const sketches = slots.map((slot) => `, r.sketches[w.${slot}] as ${slot}`).join('')
  const summed = `date_part('epoch', r.bucket_at) as at, r.location, r.dimension, r.outcome, r.runs, r.degraded, r.retries,
      null::json as values${sketches}`
  const rollups = (grain: string, condition: string) => `r.grain = '${grain}' and ${condition}
      and r.account_id = $1 and r.outcome = any($10::text[])`
  const isPendingHour = `exists (
        select from rollup_pending p
        where p.check_id = r.check_id and p.check_id = any($2::uuid[]) and p.hour = r.bucket_at)`
  const days = `
    select r.check_id, ${summed} from ${wanted} join rollups r on r.check_id = w.check_id
    where r.check_id = any($2::uuid[])
      and ${rollups('day', `r.bucket_at >= ${daysFrom} and r.bucket_at < ${daysTo}`)}
      and not exists (
        select from rollup_pending p where p.check_id = r.check_id and p.check_id = any($2::uuid[])
          and date_trunc('day', p.hour, 'UTC') = r.bucket_at and p.hour >= ${daysFrom} and p.hour < ${daysTo})`
  const hours = (lower: string, upper: string) => `
    select r.check_id, ${summed} from ${wanted} join rollups r on r.check_id = w.check_id
    where r.check_id = any($2::uuid[])
      and ${rollups('hour', `r.bucket_at >= ${lower} and r.bucket_at < ${upper}`)} and not ${isPendingHour}`
  const hoursOfPendingDays = `
    select d.check_id, ${summed} from ${wanted} join (
      select p.check_id, date_trunc('day', p.hour, 'UTC') as day from rollup_pending p
      where p.check_id = any($2::uuid[]) and p.hour >= ${daysFrom} and p.hour < ${daysTo} group by 1, 2
    ) d on d.check_id = w.check_id cross join lateral (
      select r.* from rollups r
      where r.check_id = d.check_id and r.check_id = any($2::uuid[])
        and ${rollups('hour', `r.bucket_at >= d.day and r.bucket_at < d.day + interval '24 hours'`)}
        and not ${isPendingHour}
      group by r.check_id, r.grain, r.bucket_at, r.location, r.dimension, r.outcome
    ) r`
  const values = slots.map((slot) => `json_agg(r.metrics[w.${slot}])`).join(', ')
  const runs = (lower: string, upper: string, span: string) => `(
      select r.check_id, date_part('epoch', date_bin(make_interval(secs => $9), r.scheduled_at, '1970-01-05 00:00Z')) as at,
        r.location, coalesce(r.status_code::text, '') as dimension, ${outcomeOf('r')} as outcome, count(*)::int as runs,
        count(*) filter (where r.is_degraded)::int as degraded, sum(r.attempt - 1)::int as retries,
        json_build_array(${values}) as values
      from results r
      where r.check_id = ${span}.check_id and r.check_id = any($2::uuid[]) and r.scheduled_at >= ${lower} and r.scheduled_at < ${upper}
        and r.account_id = $1 and r.result_type = 'FINAL' and not r.is_cancelled
      group by 1, 2, 3, 4, 5
    ) r where r.outcome = any($10::text[])`
  const counted = `r.check_id, r.at, r.location, r.dimension, r.outcome, r.runs, r.degraded, r.retries,
      r.values${slots.map((slot) => `, null::bytea as ${slot}`).join('')}`
  const runsBetween = (lower: string, upper: string) => `
    select ${counted} from ${wanted} cross join lateral ${runs(lower, upper, 'w')}`
  const runsOfPendingHours = `
    select ${counted} from ${wanted} join rollup_pending p on p.check_id = w.check_id
    cross join lateral ${runs('p.hour', "p.hour + interval '1 hour'", 'p')}
      and p.check_id = any($2::uuid[]) and p.hour >= ${hoursFrom} and p.hour < ${hoursTo}`
  return `select * from (${[
    days,
    hours(hoursFrom, daysFrom),
    hours(daysTo, hoursTo),
    hoursOfPendingDays,
    runsBetween(from, hoursFrom),
    runsBetween(hoursTo, to),
    runsOfPendingHours,
  ].join(`
    union all`)}) t`
}
