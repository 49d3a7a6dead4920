import { type Selectable, sql } from 'kysely'
import { accessKeys } from '../accounts/access-keys.ts'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type PrivateLocationRow = Selectable<Tables['private_locations']>

export const {
  find: findPrivateLocation,
  lock: lockPrivateLocation,
  insert: insertPrivateLocation,
  update: updatePrivateLocation,
  delete: deletePrivateLocation,
} = accountRows('private_locations')

export const {
  list: listPrivateLocationKeys,
  insert: insertPrivateLocationKey,
  delete: deletePrivateLocationKey,
} = accessKeys('private_location_keys')

export async function listPrivateLocations(db: Db, accountId: string): Promise<PrivateLocationRow[]> {
  return db
    .selectFrom('private_locations')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function countPrivateLocations(db: Db, accountId: string): Promise<number> {
  const { total } = await db
    .selectFrom('private_locations')
    .select(countAll)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return total
}

/** Whether checks or groups of the account run in this location. */
export async function isPrivateLocationUsed(db: Db, accountId: string, slugName: string): Promise<boolean> {
  const runsThere = sql<boolean>`private_locations @> array[${slugName}]::text[]`
  for (const table of ['checks', 'check_groups'] as const) {
    const user = await db
      .selectFrom(table)
      .select('id')
      .where('account_id', '=', accountId)
      .where(runsThere)
      .limit(1)
      .executeTakeFirst()
    if (user !== undefined) return true
  }
  return false
}

/** The ids of the account's private locations, by slug. */
export async function listPrivateLocationIds(
  client: Client,
  accountId: string,
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; slug: string }>(
    'select id, slug_name as slug from private_locations where account_id = $1',
    [accountId],
  )
  return new Map(rows.map(({ id, slug }) => [slug, id]))
}
