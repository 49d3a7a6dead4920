import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type UserRow = Selectable<Tables['users']>

export async function insertUser(db: Db, values: Insertable<Tables['users']>): Promise<UserRow> {
  return db.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function findUser(db: Db, id: string): Promise<UserRow | null> {
  return (await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Locked until the transaction ends. */
export async function lockUser(tx: Db, id: string): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** Throws a unique violation if another user has the address. */
export async function updateUser(
  db: Db,
  id: string,
  values: Updateable<Pick<Tables['users'], 'name' | 'email'>>,
): Promise<void> {
  await db.updateTable('users').set(values).where('id', '=', id).execute()
}

export async function insertMembership(db: Db, values: Insertable<Tables['memberships']>): Promise<void> {
  await db.insertInto('memberships').values(values).execute()
}

/** The accounts of a user, oldest first. */
export async function listRoles(db: Db, userId: string) {
  return db
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'm.role'])
    .where('m.user_id', '=', userId)
    .orderBy('a.created_at')
    .orderBy('a.id')
    .execute()
}
