import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type UserRow = Selectable<Tables['users']>

export async function insertUser(db: Db, values: Insertable<Tables['users']>): Promise<UserRow> {
  return db.insertInto('users').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function findUser(db: Db, id: string): Promise<UserRow | null> {
  return (await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Throws a unique violation if another user has the address. */
export async function updateEmail(db: Db, id: string, email: string): Promise<void> {
  await db.updateTable('users').set({ email }).where('id', '=', id).execute()
}

export async function insertMembership(db: Db, values: Insertable<Tables['memberships']>): Promise<void> {
  await db.insertInto('memberships').values(values).execute()
}
