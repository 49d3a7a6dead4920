import type { Selectable } from 'kysely'
import { accountRows } from './account-rows.ts'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from './cursor.ts'
import { countAll, type Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type StatusPageServiceRow = Selectable<Tables['status_page_services']>

// Cards and incidents lose a service with its row.
export const {
  find: findStatusPageService,
  insert: insertStatusPageService,
  update: updateStatusPageService,
  delete: deleteStatusPageService,
} = accountRows('status_page_services')

export async function listStatusPageServices(
  db: Db,
  accountId: string,
  page: CursorRequest,
): Promise<CursorPage<StatusPageServiceRow>> {
  const all = db.selectFrom('status_page_services').where('account_id', '=', accountId)
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}

/** Those of the given ids that exist; they cannot be deleted until the transaction ends. */
export async function holdStatusPageServices(tx: Db, accountId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .selectFrom('status_page_services')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .forKeyShare()
    .execute()
  return new Set(rows.map((row) => row.id))
}
