// What a dashboard shows: the activated checks that have its tags.
import type { CheckType } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'

export interface DashboardCheck {
  id: string
  name: string
  type: CheckType
  groupName: string | null
  tags: string[]
}

export interface DashboardFilter {
  /** On the check or on its group. Empty: all checks. */
  tags: readonly string[]
  /** Whether a check must have all of them instead of one. */
  needsAll: boolean
}

/** By group and name; checks without a group come last. */
export async function listDashboardChecks(
  pool: Pool,
  accountId: string,
  { tags, needsAll }: DashboardFilter,
): Promise<DashboardCheck[]> {
  const { rows } = await pool.query<DashboardCheck>({
    name: 'list_dashboard_checks',
    text: `select c.id, c.name, c.check_type as type, g.name as "groupName",
        array(select distinct tag from unnest(c.tags || coalesce(g.tags, '{}')) tag order by tag) as tags
      from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
      where c.account_id = $1 and c.activated and coalesce(g.activated, true)
        and (cardinality($2::text[]) = 0
          or case when $3::boolean then c.tags || coalesce(g.tags, '{}') @> $2 else c.tags && $2 or g.tags && $2 end)
      order by g.name nulls last, c.name, c.id`,
    values: [accountId, tags, needsAll],
  })
  return rows
}
