// The data of the Prometheus metrics of an account: its checks, and their results of this hour.
import type { CheckType } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'

export interface MeasuredCheck {
  id: string
  name: string
  checkType: CheckType
  muted: boolean
  activated: boolean
  group: string | null
  tags: string[]
  /** Null: it hasn't run yet. */
  hasFailures: boolean | null
  sslDaysRemaining: number | null
  heartbeatPeriodMs: number | null
  lastPingAt: string | null
}

export async function listMeasuredChecks(
  pool: Pool,
  accountId: string,
  now: number,
): Promise<MeasuredCheck[]> {
  const { rows } = await pool.query<MeasuredCheck>(
    `select c.id, c.name, c.check_type as "checkType", c.muted or coalesce(g.muted, false) or coalesce(greatest(c.muted_until, g.muted_until) > $2, false) as muted,
       c.activated and coalesce(g.activated, true) as activated, g.name as "group",
       array(select distinct tag from unnest(c.tags || coalesce(g.tags, '{}')) as tag order by tag) as tags,
       s.has_failures as "hasFailures", s.ssl_days_remaining as "sslDaysRemaining",
       h.period_ms as "heartbeatPeriodMs", h.last_ping_at as "lastPingAt"
     from checks c
     left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
     left join check_statuses s on s.account_id = c.account_id and s.check_id = c.id
     left join heartbeats h on h.account_id = c.account_id and h.check_id = c.id
     where c.account_id = $1 order by c.id`,
    [accountId, new Date(now)],
  )
  return rows
}

export interface ResultsQuery {
  accountId: string
  sinceMs: number
  byLocation: boolean
  withAttempts: boolean
}

export interface ResultCount {
  checkId: string
  location: string | null
  status: 'passing' | 'degraded' | 'failing' | 'error'
  total: number
}

export async function countResults(pool: Pool, query: ResultsQuery): Promise<ResultCount[]> {
  const { rows } = await pool.query<ResultCount>(
    `select r.check_id as "checkId", ${location} as location, case when r.has_errors then 'error'
       when r.has_failures then 'failing' when r.is_degraded then 'degraded' else 'passing' end as status,
       count(*) as total
     ${ofThisHour} group by 1, 2, 3 order by 1, 2, 3`,
    parametersOf(query),
  )
  return rows
}

export interface TimingBucket {
  checkId: string
  location: string | null
  /** The metric index. */
  metric: number
  /** The index of the bound; the number of bounds: above all of them. */
  bucket: number
  total: number
  sum: number
}

/** `bounds` are in the unit of the metrics; `onlyFirst`: only the first metric of each check. */
export async function countTimings(
  pool: Pool,
  query: ResultsQuery,
  bounds: readonly number[],
  onlyFirst: boolean,
): Promise<TimingBucket[]> {
  // width_bucket puts a value at a bound into the bucket above it, Prometheus into the one below: so both are negated.
  const { rows } = await pool.query<TimingBucket>(
    `select r.check_id as "checkId", ${location} as location, m.position - 1 as metric,
       array_length($5::float8[], 1) - width_bucket(-m.value::float8, $5::float8[]) as bucket,
       count(*) as total, sum(m.value::float8) as sum
     ${ofThisHour.replace('where', 'cross join lateral unnest(r.metrics) with ordinality as m(value, position) where')}
       and m.value is not null and ($6 or m.position = 1)
     group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
    [...parametersOf(query), bounds.map((bound) => -bound).reverse(), !onlyFirst],
  )
  return rows
}

const location = 'case when $3::boolean then r.location end'

const ofThisHour = `from results r
  where r.account_id = $1 and r.scheduled_at >= $2 and not r.is_cancelled and ($4::boolean or r.result_type = 'FINAL')`

function parametersOf({ accountId, sinceMs, byLocation, withAttempts }: ResultsQuery): unknown[] {
  return [accountId, new Date(sinceMs), byLocation, withAttempts]
}
