// Reads coverage in one statement, so that an hour comes either from its rollup or from its results, never from both.
import type { CheckType, Page } from '@vedette/contracts'
import type { Db, PageRequest, Pool } from '../core/db.ts'
import { countAll, pageOf } from '../core/db.ts'

export interface CoverageRow {
  checkId: string
  hour: string
  location: string
  executed: number
  skipped: number
  missed: number
  reasons: Record<string, number>
  /** The sketch of an hour that is rolled up. */
  lag: Buffer | null
  /** The lags of an hour that isn't rolled up yet, in milliseconds. */
  lags: number[] | null
}

export interface CoveredCheck {
  id: string
  name: string
  check_type: CheckType
}

// The same rules as for rollups. The lag of a run is that of its first attempt: retries wait on purpose. Every part has the
// check, and there are no common table expressions: so the statement runs on each shard of distributed tables.
const text = `
  select check_id as "checkId", hour, location, sum(executed)::int as executed, sum(skipped)::int as skipped,
    sum(missed)::int as missed, coalesce((array_agg(reasons) filter (where reasons is not null))[1], '{}') as reasons,
    (array_agg(lag) filter (where lag is not null))[1] as lag, (json_agg(lags) filter (where lags is not null)) -> 0 as lags
  from (
    select p.check_id, p.hour, r.location, r.executed, 0 as skipped, 0 as missed, null::jsonb as reasons,
      null::bytea as lag, r.lags
    from rollup_pending p cross join lateral (
      select r.check_id, r.location, count(*)::int as executed,
        json_agg(extract(epoch from greatest(interval '0', case when r.attempt = 1 then r.started_at else coalesce((
          select f.started_at from results f
          where f.check_id = r.check_id and f.scheduled_at = r.scheduled_at and f.run_id = r.run_id and f.attempt = 1
        ), r.started_at) end - r.scheduled_at))::float8 * 1000) as lags
      from results r
      where r.account_id = $1 and r.check_id = p.check_id and r.source = 'schedule' and r.result_type = 'FINAL'
        and r.scheduled_at >= p.hour and r.scheduled_at < p.hour + interval '1 hour'
        and r.scheduled_at >= $3 and r.scheduled_at < $4
      group by r.check_id, r.location
    ) r
    where p.account_id = $1 and p.check_id = any($2::uuid[]) and p.hour >= $3 and p.hour < $4
    union all
    select c.check_id, c.hour, c.location, case when p.check_id is null then c.executed else 0 end, c.skipped, c.missed,
      c.reasons, case when p.check_id is null then c.lag end, null::json
    from coverage c left join rollup_pending p on p.check_id = c.check_id and p.hour = c.hour
    where c.account_id = $1 and c.check_id = any($2::uuid[]) and c.hour >= $3 and c.hour < $4
  ) c
  group by check_id, hour, location order by check_id, hour, location`

export async function listCoverage(
  pool: Pool,
  accountId: string,
  checkIds: string[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<CoverageRow[]> {
  const values = [accountId, checkIds, new Date(fromMs), new Date(toMs)]
  return (await pool.query<CoverageRow>({ text, values })).rows
}

export async function findCoveredCheck(db: Db, accountId: string, id: string): Promise<CoveredCheck | null> {
  const check = db
    .selectFrom('checks')
    .select(['id', 'name', 'check_type'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
  return (await check.executeTakeFirst()) ?? null
}

/** In the order of the list of checks. */
export function listCoveredChecks(db: Db, accountId: string, page: PageRequest): Promise<Page<CoveredCheck>> {
  const all = db.selectFrom('checks').where('account_id', '=', accountId)
  return pageOf(
    all.select(['id', 'name', 'check_type']).orderBy('created_at', 'desc').orderBy('id'),
    all.select(countAll),
    page,
  )
}
