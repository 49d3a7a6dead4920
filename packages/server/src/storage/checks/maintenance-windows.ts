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
