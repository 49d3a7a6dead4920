import { keysOf, type MaintenanceVisibility, type Page } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type MaintenanceWindowRow = Selectable<Tables['maintenance_windows']>

export const {
  find: findMaintenanceWindow,
  lock: lockMaintenanceWindow,
  insert: insertMaintenanceWindow,
  update: updateMaintenanceWindow,
  delete: deleteMaintenanceWindow,
} = accountRows('maintenance_windows')

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Instants as ISO 8601. */
export type InstantFilter = Partial<Record<keyof typeof operators, string>>

export async function listMaintenanceWindows(
  db: Db,
  accountId: string,
  { startsAt = {}, endsAt = {}, ...page }: PageRequest & { startsAt?: InstantFilter; endsAt?: InstantFilter },
): Promise<Page<MaintenanceWindowRow>> {
  let all = db.selectFrom('maintenance_windows').where('account_id', '=', accountId)
  for (const name of keysOf(operators)) {
    if (startsAt[name] !== undefined) all = all.where('starts_at', operators[name], startsAt[name])
    if (endsAt[name] !== undefined) all = all.where('ends_at', operators[name], endsAt[name])
  }
  return pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
}

/** Every window that may be open at some time within [from, to). */
export function listWindowsBetween(
  db: Db,
  accountId: string,
  from: number,
  to: number,
): Promise<MaintenanceWindowRow[]> {
  const [begin, end] = [new Date(from).toISOString(), new Date(to).toISOString()]
  return db
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('starts_at', '<', end)
    .where((where) => where.or([where('ends_at', '>', begin), where('repeat_interval', 'is not', null)]))
    .orderBy('id')
    .execute()
}

export interface AffectedChecks {
  total: number
  checks: { id: string; name: string }[]
}

const listedChecks = 50

/** The checks with one of the tags, their own or those of their groups; `isAll`: all checks. */
export async function listAffectedChecks(
  db: Db,
  accountId: string,
  { isAll, tags }: { isAll: boolean; tags: readonly string[] },
): Promise<AffectedChecks> {
  if (!isAll && tags.length === 0) return { total: 0, checks: [] }
  const affected = db
    .selectFrom('checks as c')
    .leftJoin('check_groups as g', (join) =>
      join.onRef('g.account_id', '=', 'c.account_id').onRef('g.id', '=', 'c.group_id'),
    )
    .where('c.account_id', '=', accountId)
    .$if(!isAll, (checks) =>
      checks.where(sql<boolean>`(c.tags && ${tags}::text[] or g.tags && ${tags}::text[])`),
    )
  const { items, total } = await pageOf(
    affected.select(['c.id', 'c.name']).orderBy('c.name').orderBy('c.id'),
    affected.select(countAll),
    { limit: listedChecks, page: 1 },
  )
  return { total, checks: items }
}

/** No window names the deleted pages or services any longer. */
export async function removeFromMaintenanceWindows(
  tx: Db,
  accountId: string,
  list: keyof Pick<MaintenanceVisibility, 'statusPageIds' | 'serviceIds'>,
  ids: readonly string[],
): Promise<void> {
  const [path, deleted] = [`{${list}}`, ids.map((id) => id.toLowerCase())]
  await sql`
    update maintenance_windows
    set status_page_visibility =
      jsonb_set(status_page_visibility, ${path}, (status_page_visibility -> ${list}) - ${deleted}::text[])
    where account_id = ${accountId} and status_page_visibility -> ${list} ?| ${deleted}::text[]`.execute(tx)
}
