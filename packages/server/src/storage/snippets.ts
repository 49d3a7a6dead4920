import type { Page } from '@vedette/contracts'
import type { Insertable, Selectable, Updateable } from 'kysely'
import { countAll, type Db, type PageRequest, pageOf } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type SnippetRow = Selectable<Tables['snippets']>

export async function listSnippets(db: Db, accountId: string, page: PageRequest): Promise<Page<SnippetRow>> {
  const all = db.selectFrom('snippets').where('account_id', '=', accountId)
  return pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
}

export async function findSnippet(db: Db, accountId: string, id: number): Promise<SnippetRow | null> {
  const row = await db
    .selectFrom('snippets')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export async function insertSnippet(db: Db, values: Insertable<Tables['snippets']>): Promise<SnippetRow> {
  return db.insertInto('snippets').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updateSnippet(
  db: Db,
  accountId: string,
  id: number,
  values: Updateable<Tables['snippets']>,
): Promise<SnippetRow | null> {
  const row = await db
    .updateTable('snippets')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function deleteSnippet(db: Db, accountId: string, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('snippets')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
