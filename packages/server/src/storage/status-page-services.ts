import type { Insertable, Selectable, Updateable } from 'kysely'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from './cursor.ts'
import { countAll, type Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type StatusPageServiceRow = Selectable<Tables['status_page_services']>

export async function listStatusPageServices(
  db: Db,
  accountId: string,
  page: CursorRequest,
): Promise<CursorPage<StatusPageServiceRow>> {
  const all = db.selectFrom('status_page_services').where('account_id', '=', accountId)
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}

export async function findStatusPageService(
  db: Db,
  accountId: string,
  id: string,
): Promise<StatusPageServiceRow | null> {
  const row = await db
    .selectFrom('status_page_services')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
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

export async function insertStatusPageService(
  db: Db,
  values: Insertable<Tables['status_page_services']>,
): Promise<StatusPageServiceRow> {
  return db.insertInto('status_page_services').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updateStatusPageService(
  db: Db,
  accountId: string,
  id: string,
  values: Updateable<Tables['status_page_services']>,
): Promise<StatusPageServiceRow | null> {
  const row = await db
    .updateTable('status_page_services')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** Cards and incidents lose it with its row. */
export async function deleteStatusPageService(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('status_page_services')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
