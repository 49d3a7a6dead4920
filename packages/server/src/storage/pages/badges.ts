// What a badge shows besides the state. It needs no key: the account's own setting decides whether it is served.
import type { BadgeOwner } from '../../links/badge-token.ts'
import type { Pool } from '../core/db.ts'
import { groupByShard } from '../core/shards.ts'

const allowed = `a.settings ->> 'allowBadges' is distinct from 'false'`

/** The name of the check; null: it doesn't exist, or its account doesn't allow badges. */
export async function findCheckBadge(pool: Pool, checkId: string): Promise<string | null> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'check_badge',
    text: `select c.name from checks c join accounts a on a.id = c.account_id and ${allowed} where c.id = $1`,
    values: [checkId],
  })
  return rows[0]?.name ?? null
}

export interface GroupBadge extends BadgeOwner {
  name: string
  /** Anyone may see it. Otherwise a token is needed. */
  isAllowed: boolean
}

/**
 * Has the name of the group, or a neutral word where the account doesn't want names shown: ids of groups can be enumerated. Null:
 * it doesn't exist, or not in this account.
 */
export async function findGroupBadge(
  pool: Pool,
  groupId: number,
  accountId: string | null = null,
): Promise<GroupBadge | null> {
  const { rows } = await pool.query<GroupBadge>({
    name: 'group_badge',
    text: `select g.id as "groupId", a.id as "accountId", a.link_epoch as epoch, ${allowed} as "isAllowed",
        case when a.settings ->> 'showGroupNamesOnBadges' = 'false' then 'checks' else g.name end as name
      from check_groups g join accounts a on a.id = g.account_id
      where g.id = $1 and a.id = coalesce($2::uuid, a.id)`,
    values: [groupId, accountId],
  })
  return rows[0] ?? null
}

/** The longest of their last response times, without internal errors; null: none since that instant. */
export async function readSlowestResponse(
  pool: Pool,
  checkIds: readonly string[],
  since: number,
): Promise<number | null> {
  const groups = await Promise.all(
    groupByShard(checkIds, (id) => id).map((ids) => readSlowestOfShard(pool, ids, since)),
  )
  const known = groups.filter((slowest) => slowest !== null)
  return known.length === 0 ? null : Math.max(...known)
}

async function readSlowestOfShard(
  pool: Pool,
  checkIds: readonly string[],
  since: number,
): Promise<number | null> {
  const { rows } = await pool.query<{ slowest: number | null }>({
    name: 'badge_response_time',
    text: `select max(r.response_time) as slowest from unnest($1::uuid[]) as c (id) cross join lateral (
        select response_time from results
        where check_id = c.id and check_id = any($1::uuid[]) and scheduled_at >= to_timestamp($2 / 1000.0) and result_type = 'FINAL'
          and not has_errors and not is_cancelled
        order by scheduled_at desc limit 1) r`,
    values: [checkIds, since],
  })
  return rows[0]?.slowest ?? null
}
