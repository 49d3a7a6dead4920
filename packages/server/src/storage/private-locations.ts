import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { makeKey, type NewKey } from './api-keys.ts'
import type { Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type PrivateLocationRow = Selectable<Tables['private_locations']>
export type PrivateLocationKeyRow = Selectable<Tables['private_location_keys']>

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
    .select(sql<number>`count(*)`.as('total'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return total
}

export async function findPrivateLocation(
  db: Db,
  accountId: string,
  id: string,
): Promise<PrivateLocationRow | null> {
  return (await selectOne(db, accountId, id).executeTakeFirst()) ?? null
}

/** Held until the transaction ends. */
export async function lockPrivateLocation(
  tx: Db,
  accountId: string,
  id: string,
): Promise<PrivateLocationRow | null> {
  return (await selectOne(tx, accountId, id).forUpdate().executeTakeFirst()) ?? null
}

function selectOne(db: Db, accountId: string, id: string) {
  return db
    .selectFrom('private_locations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
}

export async function insertPrivateLocation(
  db: Db,
  values: Insertable<Tables['private_locations']>,
): Promise<PrivateLocationRow> {
  return db.insertInto('private_locations').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updatePrivateLocation(
  db: Db,
  accountId: string,
  id: string,
  values: Updateable<Tables['private_locations']>,
): Promise<PrivateLocationRow | null> {
  const row = await db
    .updateTable('private_locations')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function deletePrivateLocation(db: Db, accountId: string, id: string): Promise<void> {
  await db.deleteFrom('private_locations').where('account_id', '=', accountId).where('id', '=', id).execute()
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

export async function listPrivateLocationKeys(
  db: Db,
  accountId: string,
  locationIds: string[],
): Promise<PrivateLocationKeyRow[]> {
  if (locationIds.length === 0) return []
  return db
    .selectFrom('private_location_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('private_location_id', 'in', locationIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** Returns the raw key too, which is kept nowhere. */
export async function insertPrivateLocationKey(
  db: Db,
  accountId: string,
  locationId: string,
): Promise<{ key: NewKey; row: PrivateLocationKeyRow }> {
  const key = makeKey('location')
  const row = await db
    .insertInto('private_location_keys')
    .values({
      id: key.id,
      account_id: accountId,
      private_location_id: locationId,
      hash: key.hash,
      masked_key: key.maskedKey,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { key, row }
}

export async function deletePrivateLocationKey(
  db: Db,
  accountId: string,
  locationId: string,
  keyId: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('private_location_keys')
    .where('account_id', '=', accountId)
    .where('private_location_id', '=', locationId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
