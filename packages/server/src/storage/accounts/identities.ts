// Who users are at the identity provider.
import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type IdentityRow = Selectable<Tables['identities']>

export interface Subject {
  issuer: string
  subject: string
}

export async function findIdentity(db: Db, { issuer, subject }: Subject): Promise<IdentityRow | null> {
  const row = await db
    .selectFrom('identities')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row ?? null
}

/** Inserts it, or notes that it was used. An identity never passes to another user. */
export async function putIdentity(
  tx: Db,
  { issuer, subject, userId, email, now }: Subject & { userId: string; email: string | null; now: number },
): Promise<void> {
  const at = new Date(now)
  await tx
    .insertInto('identities')
    .values({
      ...{ id: randomUUID(), user_id: userId, issuer, subject, email },
      created_at: at,
      last_used_at: at,
    })
    .onConflict((conflict) =>
      conflict.constraint('identities_subject').doUpdateSet({ email, last_used_at: at }),
    )
    .execute()
}

export async function listIdentities(db: Db, userId: string): Promise<IdentityRow[]> {
  return db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function deleteIdentity(tx: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function findOwnIdentity(db: Db, userId: string, id: string): Promise<IdentityRow | null> {
  const row = await db
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}
