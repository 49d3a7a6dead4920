import type { CheckType } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db, Pool } from '../core/db.ts'

export interface CheckName {
  id: string
  name: string
  check_type: CheckType
}

/** By id: those of the account among these, or with any of these tags. */
export async function listCheckNames(
  db: Db,
  accountId: string,
  { ids, tags }: { ids?: readonly string[] | undefined; tags?: readonly string[] | undefined },
): Promise<Map<string, string>> {
  let query = db.selectFrom('checks').select(['id', 'name']).where('account_id', '=', accountId)
  if (ids !== undefined) query = query.where('id', '=', sql<string>`any(${ids}::uuid[])`)
  if (tags !== undefined) query = query.where(sql<boolean>`tags && ${tags}::text[]`)
  return new Map((await query.execute()).map(({ id, name }) => [id, name]))
}

/** By id. Crosses accounts on purpose: it is for the operator's log. */
export async function listNamesForLog(pool: Pool, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; name: string }>({
    name: 'list_names_for_log',
    text: 'select id, name from checks where id = any($1::uuid[])',
    values: [ids],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Null if the account doesn't have this check. */
export async function findCheckName(db: Db, accountId: string, id: string): Promise<CheckName | null> {
  const row = await db
    .selectFrom('checks')
    .select(['id', 'name', 'check_type'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}
