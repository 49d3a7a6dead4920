// Reads and archives groups of similar failures of a check; ingest/ creates them.
import type { Page } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type ErrorGroupRow = Selectable<Tables['error_groups']>

/** The latest seen first. */
export function listErrorGroups(
  db: Db,
  accountId: string,
  request: PageRequest & { checkId?: string; archived?: boolean },
): Promise<Page<ErrorGroupRow>> {
  let shown = db
    .selectFrom('error_groups')
    .where('account_id', '=', accountId)
    .where(sql<boolean>`(archived_for_ever or archived_until_next_event) = ${request.archived ?? false}`)
  if (request.checkId !== undefined) shown = shown.where('check_id', '=', request.checkId)
  const entries = shown.selectAll().orderBy('last_seen', 'desc').orderBy('id')
  return pageOf(entries, shown.select(countAll), request)
}

export const { find: findErrorGroup, update: updateErrorGroup } = accountRows('error_groups')
