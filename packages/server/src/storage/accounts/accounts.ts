import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type AccountRow = Selectable<Tables['accounts']>

export async function insertAccount(db: Db, values: Insertable<Tables['accounts']>): Promise<AccountRow> {
  return db.insertInto('accounts').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function findAccount(db: Db, id: string): Promise<AccountRow | null> {
  return (await db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function listAccounts(db: Db, ids: string[]): Promise<AccountRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('accounts')
    .selectAll()
    .where('id', 'in', ids)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function updateAccount(
  db: Db,
  id: string,
  values: Updateable<Tables['accounts']>,
): Promise<AccountRow | null> {
  const row = await db
    .updateTable('accounts')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** Locked until the transaction ends: changes of one account wait for each other. */
export async function lockAccount(tx: Db, id: string): Promise<AccountRow | null> {
  const row = await tx
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row ?? null
}

export async function getPlanId(db: Db, id: string): Promise<string> {
  const row = await db.selectFrom('accounts').select('plan').where('id', '=', id).executeTakeFirstOrThrow()
  return row.plan
}
