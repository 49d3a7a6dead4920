// What bulk actions need to know of checks: without their settings, which may be large.
import type { CheckType } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

export interface BulkCheck {
  id: string
  name: string
  checkType: CheckType
  activated: boolean
  muted: boolean
  mutedUntil: string | null
  tags: string[]
  groupId: number | null
  isGroupMuted: boolean
  isGroupActivated: boolean
}

/** By id; unknown ids are absent. `isLocked`: until the transaction ends. */
export async function readBulkChecks(
  db: Db,
  accountId: string,
  ids: readonly string[],
  { isLocked }: { isLocked: boolean },
): Promise<Map<string, BulkCheck>> {
  const lock = isLocked ? sql`for no key update of c` : sql``
  const { rows } = await sql<BulkCheck>`
    select c.id, c.name, c.check_type as "checkType", c.activated, c.muted, c.muted_until as "mutedUntil",
      to_json(c.tags) as tags, c.group_id as "groupId", coalesce(g.muted or g.muted_until > now(), false) as "isGroupMuted",
      coalesce(g.activated, true) as "isGroupActivated"
    from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
    where c.account_id = ${accountId} and c.id = any(${ids}::uuid[]) order by c.id ${lock}`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}
