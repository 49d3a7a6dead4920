import type { Page } from '@vedette/contracts'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type SavedViewRow = Selectable<Tables['saved_views']>

export const {
  find: findSavedView,
  insert: insertSavedView,
  update: updateSavedView,
  delete: deleteSavedView,
} = accountRows('saved_views')

/** Shared views and those of the user, by name. */
export async function listSavedViews(
  db: Db,
  { accountId, userId }: { accountId: string; userId: string | null },
  page: PageRequest,
): Promise<Page<SavedViewRow>> {
  const all = db
    .selectFrom('saved_views')
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`(is_shared or user_id = ${userId}::uuid)`)
  return pageOf(all.selectAll().orderBy(sql`lower(name)`).orderBy('id'), all.select(countAll), page)
}
