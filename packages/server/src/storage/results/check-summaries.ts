// Summaries of checks: sums over their rollups of the last day and week, refreshed every hour. Lists of checks read them.
import type { CheckType } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'

/** Called with the roll-up of hours of these checks. */
export async function markSummariesOutdated(
  client: Client,
  checks: readonly { accountId: string; checkId: string }[],
): Promise<void> {
  const ids = new Map(checks.map(({ accountId, checkId }) => [checkId, accountId]))
  await client.query({
    name: 'mark_summaries_outdated',
    // In the order of ids, so that two batches don't deadlock.
    text: `insert into check_summaries (account_id, check_id, until)
      select account_id, check_id, to_timestamp(0) from unnest($1::uuid[], $2::uuid[]) as k (account_id, check_id)
      order by check_id
      on conflict (check_id) do update set is_outdated = true`,
    values: [[...ids.values()], [...ids.keys()]],
  })
}

export interface DueSummary {
  checkId: string
  /** Null: the check was deleted. */
  checkType: CheckType | null
}

/** Those that end before `until`. Checks with hours that still have to be rolled up are left out. */
export async function lockDueSummaries(
  client: Client,
  { until, limit }: { until: number; limit: number },
): Promise<DueSummary[]> {
  // Few: summaries are refreshed after hours are rolled up.
  const pending = await client.query<{ checkId: string }>({
    name: 'list_pending_checks',
    text: `select distinct check_id as "checkId" from rollup_pending where hour < to_timestamp($1 / 1000.0)`,
    values: [until],
  })
  const { rows } = await client.query<DueSummary & Record<string, unknown>>({
    name: 'lock_due_summaries',
    text: `select s.check_id as "checkId", c.check_type as "checkType"
      from check_summaries s left join checks c on c.id = s.check_id
      where (s.is_outdated or (s.until < to_timestamp($1 / 1000.0) and s.runs_7d > 0))
        and s.check_id <> all($3::uuid[])
      order by s.until limit $2 for update of s skip locked`,
    values: [until, limit, pending.rows.map(({ checkId }) => checkId)],
  })
  return rows
}

export async function deleteSummaries(client: Client, checkIds: readonly string[]): Promise<void> {
  await client.query('delete from check_summaries where check_id = any($1::uuid[])', [checkIds])
}

/** `metric`: the index of the response time among the metrics of the type; null: it has none. */
type MeasuredCheck = { checkId: string; metric: number | null }

export interface HourSums {
  checkId: string
  isSuccess: boolean
  runs: number
  sketch: Buffer | null
}

/** By check, hour, location and status code. In milliseconds. */
export async function listHourSums(
  client: Client,
  checks: readonly MeasuredCheck[],
  { from, to }: { from: number; to: number },
): Promise<HourSums[]> {
  const { rows } = await client.query<HourSums & Record<string, unknown>>({
    name: 'list_hour_sums',
    text: `select k.check_id as "checkId", r.outcome = 'success' as "isSuccess", r.runs, r.sketches[k.metric] as sketch
      from unnest($1::uuid[], $2::int[]) as k (check_id, metric) join rollups r on r.check_id = k.check_id
      where r.check_id = any($1::uuid[]) and r.grain = 'hour' and r.bucket_at >= to_timestamp($3 / 1000.0)
        and r.bucket_at < to_timestamp($4 / 1000.0) and r.outcome in ('success', 'failure')`,
    values: [
      checks.map(({ checkId }) => checkId),
      // Arrays of PostgreSQL begin with 1.
      checks.map(({ metric }) => (metric === null ? null : metric + 1)),
      from,
      to,
    ],
  })
  return rows
}

export interface RunSums {
  checkId: string
  runs: number
  passed: number
}

const part = (grain: string, from: number, to: number) => `
  select r.check_id, r.runs, r.outcome from rollups r
  where r.check_id = any($1::uuid[]) and r.grain = '${grain}' and r.bucket_at >= to_timestamp($${from}::float8 / 1000)
    and r.bucket_at < to_timestamp($${to}::float8 / 1000) and r.outcome in ('success', 'failure')`

/** Whole days are read as such. In milliseconds. */
export async function sumRuns(
  client: Client,
  checkIds: readonly string[],
  parts: { hoursFrom: number; daysFrom: number; daysTo: number; hoursTo: number },
): Promise<RunSums[]> {
  const { rows } = await client.query<RunSums & Record<string, unknown>>({
    name: 'sum_runs',
    text: `select r.check_id as "checkId", sum(r.runs)::int as runs,
        coalesce(sum(r.runs) filter (where r.outcome = 'success'), 0)::int as passed
      from (${[part('hour', 2, 3), part('day', 3, 4), part('hour', 4, 5)].join(' union all ')}) r
      group by r.check_id`,
    values: [checkIds, parts.hoursFrom, parts.daysFrom, parts.daysTo, parts.hoursTo],
  })
  return rows
}

/** Scheduled runs, by check. In milliseconds. */
export async function countExecuted(
  client: Client,
  checkIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ checkId: string; executed: number }>({
    name: 'count_executed',
    text: `select check_id as "checkId", sum(executed)::int as executed from coverage
      where check_id = any($1::uuid[]) and hour >= to_timestamp($2 / 1000.0) and hour < to_timestamp($3 / 1000.0)
      group by check_id`,
    values: [checkIds, from, to],
  })
  return new Map(rows.map(({ checkId, executed }) => [checkId, executed]))
}

export interface SummaryRow {
  checkId: string
  /** Milliseconds. */
  until: number
  runs24h: number
  passed24h: number
  executed24h: number
  runs7d: number
  passed7d: number
  p95: number | null
}

export async function updateSummaries(client: Client, rows: readonly SummaryRow[]): Promise<void> {
  await client.query({
    name: 'update_summaries',
    text: `update check_summaries s set is_outdated = false, until = to_timestamp(r.until / 1000), runs_24h = r."runs24h",
        passed_24h = r."passed24h", executed_24h = r."executed24h", runs_7d = r."runs7d", passed_7d = r."passed7d",
        p95_24h = r.p95
      from json_to_recordset($1) as r ("checkId" uuid, until float8, "runs24h" int, "passed24h" int, "executed24h" int,
        "runs7d" int, "passed7d" int, p95 real)
      where s.check_id = r."checkId"`,
    values: [JSON.stringify(rows)],
  })
}
