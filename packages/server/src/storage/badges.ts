// What a badge says of a check. Nobody asks who reads it: the account's own setting decides whether it answers.
import type { Pool } from './db.ts'

export interface BadgeRow {
  name: string
  activated: boolean
  /** Null: it has never run. */
  hasFailures: boolean | null
  hasErrors: boolean | null
  isDegraded: boolean | null
  /** Of the last run that was not our own error. */
  responseTime: number | null
}

const columns = `c.name, c.activated and coalesce(g.activated, true) as activated, s.has_failures as "hasFailures",
  s.has_errors as "hasErrors", s.is_degraded as "isDegraded",
  case when $2 then (
    select r.response_time from results r
    where r.check_id = c.id and r.scheduled_at >= to_timestamp($3 / 1000.0) and r.result_type = 'FINAL'
      and not r.has_errors and not r.is_cancelled
    order by r.scheduled_at desc limit 1
  ) end as "responseTime"`

const allowed = `a.settings ->> 'allowBadges' is distinct from 'false'`

interface Wanted {
  withResponseTime: boolean
  /** Runs before this instant are too old to tell; milliseconds. */
  since: number
}

/** Null: there is no such check, or its account wants no badges. */
export async function findCheckBadge(pool: Pool, checkId: string, wanted: Wanted): Promise<BadgeRow | null> {
  const { rows } = await pool.query<BadgeRow>({
    name: 'check_badge',
    text: `select ${columns} from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
      join accounts a on a.id = c.account_id and ${allowed} left join check_statuses s on s.check_id = c.id
      where c.id = $1`,
    values: [checkId, wanted.withResponseTime, wanted.since],
  })
  return rows[0] ?? null
}

/** The checks of a group; null as above. */
export async function findGroupBadges(
  pool: Pool,
  groupId: number,
  wanted: Wanted,
): Promise<BadgeRow[] | null> {
  const { rows } = await pool.query<BadgeRow & { checkId: string | null }>({
    name: 'group_badge',
    text: `select c.id as "checkId", ${columns} from check_groups g
      join accounts a on a.id = g.account_id and ${allowed}
      left join checks c on c.account_id = g.account_id and c.group_id = g.id
      left join check_statuses s on s.check_id = c.id
      where g.id = $1`,
    values: [groupId, wanted.withResponseTime, wanted.since],
  })
  if (rows.length === 0) return null
  return rows.filter(({ checkId }) => checkId !== null)
}
