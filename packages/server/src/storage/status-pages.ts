import type { Insertable, Selectable, Updateable } from 'kysely'
import { makeKey, type NewKey } from './api-keys.ts'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from './cursor.ts'
import { countAll, type Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type StatusPageRow = Selectable<Tables['status_pages']>
export type StatusPageKeyRow = Selectable<Tables['status_page_keys']>

export async function listStatusPages(
  db: Db,
  accountId: string,
  page: CursorRequest,
): Promise<CursorPage<StatusPageRow>> {
  const all = db.selectFrom('status_pages').where('account_id', '=', accountId)
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}

export async function findStatusPage(db: Db, accountId: string, id: string): Promise<StatusPageRow | null> {
  return (await selectPage(db, accountId, id).executeTakeFirst()) ?? null
}

/** Locked until the transaction ends: two replacements never mix their cards. */
export async function lockStatusPage(tx: Db, accountId: string, id: string): Promise<StatusPageRow | null> {
  return (await selectPage(tx, accountId, id).forUpdate().executeTakeFirst()) ?? null
}

/** Kept from being deleted until the transaction ends. */
export async function holdStatusPage(tx: Db, accountId: string, id: string): Promise<StatusPageRow | null> {
  return (await selectPage(tx, accountId, id).forKeyShare().executeTakeFirst()) ?? null
}

function selectPage(db: Db, accountId: string, id: string) {
  return db.selectFrom('status_pages').selectAll().where('account_id', '=', accountId).where('id', '=', id)
}

export async function insertStatusPage(
  db: Db,
  values: Insertable<Tables['status_pages']>,
): Promise<StatusPageRow> {
  return db.insertInto('status_pages').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updateStatusPage(
  db: Db,
  accountId: string,
  id: string,
  values: Updateable<Tables['status_pages']>,
): Promise<StatusPageRow> {
  return db
    .updateTable('status_pages')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteStatusPage(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('status_pages')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The keys of several pages, oldest first. */
export async function listStatusPageKeys(
  db: Db,
  accountId: string,
  ids: string[],
): Promise<StatusPageKeyRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('status_page_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function insertStatusPageKey(db: Db, accountId: string, id: string): Promise<NewKey> {
  const key = makeKey('status-page')
  await db
    .insertInto('status_page_keys')
    .values({
      id: key.id,
      account_id: accountId,
      status_page_id: id,
      hash: key.hash,
      masked_key: key.maskedKey,
    })
    .execute()
  return key
}

export async function deleteStatusPageKeys(db: Db, accountId: string, id: string): Promise<void> {
  await db
    .deleteFrom('status_page_keys')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', id)
    .execute()
}
