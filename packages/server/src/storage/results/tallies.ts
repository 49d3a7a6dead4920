// Sums over runs of checks, per location, status code and outcome: days and hours that are rolled up from their rollups,
// the rest from results, in one statement and therefore in one snapshot.
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
  const { rows } = await pool.query<Columns>({
    name: `read_tallies_${count}`,
    text: textFor(count),
    rowMode: 'array',
    values: [
      accountId,
      checks.map(({ id }) => id),
      ...bordersOf(parts),
      (bucketMs ?? foreverMs) / 1000,
      outcomes,
      ...Array.from({ length: count }, (_, n) =>
        checks.map(({ metricIndexes }) => (metricIndexes[n] ?? -1) + 1),
      ),
    ],
  })
  return rows.map(tallyOf)
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
  const { rows } = await pool.query<OutcomeCount>({
    name: 'count_outcomes',
    text: `select t.n as check, t.outcome, sum(t.runs)::int as runs
      from (${textFor(0)}) t (n, at, location, dimension, outcome, runs, degraded, retries, values) group by t.n, t.outcome`,
    values: [accountId, checkIds, ...bordersOf(parts), foreverMs / 1000, outcomes],
  })
  return rows
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
    text: `select floor(t.at / 86400) * 86400000 as day, ($11::text[])[t.n + 1] as type, t.outcome,
        sum(t.runs)::int as runs, sum(t.degraded)::int as degraded, sum(t.retries)::int as retries
      from (${textFor(0)}) t (n, at, location, dimension, outcome, runs, degraded, retries, values) group by 1, 2, 3`,
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
  number,
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

function tallyOf([
  check,
  at,
  location,
  dimension,
  outcome,
  runs,
  degraded,
  retries,
  values,
  ...sketches
]: Columns) {
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

// "offset 0" makes the planner use one index range per part; "not in" is hashed, "not exists" isn't.
function tallyText(slots: string[]): string {
  const arrays = slots.map((_, n) => `, $${n + 11}::int[]`).join('')
  const names = slots.map((slot) => `, ${slot}`).join('')
  const sketches = slots.map((slot) => `, r.sketches[p.${slot}]`).join('')
  const values = slots.map((slot) => `json_agg(r.metrics[p.${slot}])`).join(', ')
  const rollup = (parts: string, grain: string, condition: string) => `
    select p.n, date_part('epoch', r.bucket_at), r.location, r.dimension, r.outcome, r.runs, r.degraded, r.retries,
      null::json${sketches}
    from ${parts} p cross join lateral (
      select * from rollups r
      where r.check_id = p.check_id and r.grain = '${grain}' and r.bucket_at >= p.lo and r.bucket_at < p.hi
        and r.account_id = $1 and r.outcome = any($10::text[]) and ${condition}
      offset 0
    ) r`
  return `
    with wanted as materialized (
      select check_id, (n - 1)::int as n${names} from unnest($2::uuid[]${arrays}) with ordinality as w (check_id${names}, n)
    ), bounds as materialized (
      select to_timestamp($3 / 1000.0) as "from", to_timestamp($4 / 1000.0) as hours_from,
        to_timestamp($5 / 1000.0) as days_from, to_timestamp($6 / 1000.0) as days_to,
        to_timestamp($7 / 1000.0) as hours_to, to_timestamp($8 / 1000.0) as "to"
    ), pending as materialized (
      select w.*, p.hour from bounds b, wanted w cross join lateral (
        select hour from rollup_pending p
        where p.check_id = w.check_id and p.hour >= b.hours_from and p.hour < b.hours_to offset 0
      ) p
    ), unfolded_days as materialized (
      select distinct check_id, n${names}, date_trunc('day', hour, 'UTC') as day from pending, bounds
      where hour >= days_from and hour < days_to
    ), days as (
      select w.*, days_from as lo, days_to as hi from wanted w, bounds where days_from < days_to
    ), hours as (
      select w.*, hours_from as lo, days_from as hi from wanted w, bounds where hours_from < days_from
      union all select w.*, days_to, hours_to from wanted w, bounds where days_to < hours_to
      union all select check_id, n${names}, day, day + interval '24 hours' from unfolded_days
    ), runs as (
      select w.*, "from" as lo, hours_from as hi from wanted w, bounds where "from" < hours_from
      union all select w.*, hours_to, "to" from wanted w, bounds where hours_to < "to"
      union all select check_id, n${names}, hour, hour + interval '1 hour' from pending
    )
    ${rollup('days', 'day', '(r.check_id, r.bucket_at) not in (select check_id, day from unfolded_days)')}
    union all
    ${rollup('hours', 'hour', '(r.check_id, r.bucket_at) not in (select check_id, hour from pending)')}
    union all
    select p.n, date_part('epoch', date_bin(make_interval(secs => $9), r.scheduled_at, '1970-01-05 00:00Z')) as at,
      r.location, r.dimension, r.outcome, count(*)::int, count(*) filter (where r.is_degraded)::int,
      sum(r.attempt - 1)::int, json_build_array(${values})${slots.map(() => ', null::bytea').join('')}
    from runs p cross join lateral (
      select r.scheduled_at, r.location, coalesce(r.status_code::text, '') as dimension, r.is_degraded, r.attempt,
        ${outcomeOf('r')} as outcome, r.metrics
      from results r
      where r.check_id = p.check_id and r.scheduled_at >= p.lo and r.scheduled_at < p.hi
        and r.account_id = $1 and r.result_type = 'FINAL' and not r.is_cancelled
      offset 0
    ) r
    where r.outcome = any($10::text[])
    group by p.n, at, r.location, r.dimension, r.outcome`
}
