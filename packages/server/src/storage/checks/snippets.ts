import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type SnippetRow = Selectable<Tables['snippets']>

export const {
  find: findSnippet,
  insert: insertSnippet,
  update: updateSnippet,
  delete: deleteSnippet,
} = accountRows('snippets')

export async function listSnippets(db: Db, accountId: string, page: PageRequest): Promise<Page<SnippetRow>> {
  const all = db.selectFrom('snippets').where('account_id', '=', accountId)
  return pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
}
