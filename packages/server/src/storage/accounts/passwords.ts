import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

/** By email, without regard to case. One query, whether or not there is such a user. */
export async function findCredentials(
  db: Db,
  email: string,
): Promise<{ userId: string; hash: string | null } | null> {
  const row = await db
    .selectFrom('users as u')
    .leftJoin('passwords as p', 'p.user_id', 'u.id')
    .select(['u.id as userId', 'p.hash'])
    .where(sql`lower(u.email)`, '=', sql`lower(${email}::text)`)
    .executeTakeFirst()
  return row ?? null
}

/** Null: the user has no password. */
export async function findPasswordHash(db: Db, userId: string): Promise<string | null> {
  const row = await db.selectFrom('passwords').select('hash').where('user_id', '=', userId).executeTakeFirst()
  return row?.hash ?? null
}

/** Locked until the transaction ends: a password that changes meanwhile must not start a sign-in. */
export async function isCurrentHash(tx: Db, userId: string, hash: string): Promise<boolean> {
  const row = await tx
    .selectFrom('passwords')
    .select('hash')
    .where('user_id', '=', userId)
    .forShare()
    .executeTakeFirst()
  return row?.hash === hash
}

export async function putPasswordHash(db: Db, userId: string, hash: string, at: Date): Promise<void> {
  await db
    .insertInto('passwords')
    .values({ user_id: userId, hash, changed_at: at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, changed_at: at }))
    .execute()
}

/** The same password, hashed with other parameters. Does nothing if it was changed meanwhile. */
export async function replaceHash(db: Db, userId: string, from: string, to: string): Promise<void> {
  await db
    .updateTable('passwords')
    .set({ hash: to })
    .where('user_id', '=', userId)
    .where('hash', '=', from)
    .execute()
}

export async function hasAnyPassword(db: Db): Promise<boolean> {
  return (await db.selectFrom('passwords').select('user_id').limit(1).executeTakeFirst()) !== undefined
}
