// Checks for reports.
import type { CheckType } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'

export interface ReportedCheck {
  id: string
  type: CheckType
  name: string
  activated: boolean
  tags: string[]
}

interface ReportedFilter {
  ids?: string[] | undefined
  /** One of these, on the check or on its group. */
  tags?: string[] | undefined
  activated?: boolean | undefined
}

/** The newest first. */
export async function listReportedChecks(
  pool: Pool,
  accountId: string,
  { ids, tags, activated }: ReportedFilter,
): Promise<ReportedCheck[]> {
  const { rows } = await pool.query<ReportedCheck>({
    text: `select c.id, c.check_type as type, c.name, c.activated,
       array(select distinct tag from unnest(c.tags || coalesce(g.tags, '{}')) tag order by tag) as tags
      from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
      where c.account_id = $1 and ($2::uuid[] is null or c.id = any($2))
        and ($3::text[] is null or c.tags && $3 or g.tags && $3) and ($4::boolean is null or c.activated = $4)
      order by c.created_at desc, c.id`,
    values: [accountId, ids ?? null, tags ?? null, activated ?? null],
  })
  return rows
}

/** The number of events of a heartbeat monitor, and of pings among them. */
export async function countHeartbeatEvents(
  pool: Pool,
  query: { accountId: string; checkId: string; from: number; to: number; states: string[] },
): Promise<{ events: number; pings: number }> {
  const { rows } = await pool.query<{ events: number; pings: number }>({
    text: `select count(*)::int as events, count(*) filter (where state <> 'FAILING')::int as pings from heartbeat_events
      where account_id = $1 and check_id = $2 and occurred_at >= to_timestamp($3 / 1000.0)
        and occurred_at < to_timestamp($4 / 1000.0) and state = any($5::text[])`,
    values: [query.accountId, query.checkId, query.from, query.to, query.states],
  })
  return rows[0] ?? { events: 0, pings: 0 }
}
