// Links that let a person choose a password or confirm an email: once, within a day. The store has only the hash of the token.
import { randomBytes } from 'node:crypto'
import { dayMs } from '@vedette/contracts'
import { countAll, type Db } from '../core/db.ts'
import { hashKey } from './api-keys.ts'

type LinkKind = 'setup' | 'reset'

export const linkValidMs = dayMs

/** Returns the token of the link. A new setup link replaces the one before. */
export async function insertOneTimeLink(
  db: Db,
  { kind, userId, now }: { kind: LinkKind; userId: string; now: number },
  token = randomBytes(32).toString('base64url'),
): Promise<string> {
  if (kind === 'setup') await db.deleteFrom('one_time_links').where('kind', '=', kind).execute()
  await db
    .insertInto('one_time_links')
    .values({
      hash: hashKey(token),
      kind,
      user_id: userId,
      created_at: new Date(now),
      expires_at: new Date(now + linkValidMs),
    })
    .execute()
  return token
}

/** The user of a valid link. */
export async function findLinkUser(
  db: Db,
  { kind, token, now }: { kind: LinkKind; token: string; now: number },
): Promise<string | null> {
  const row = await db
    .selectFrom('one_time_links')
    .select('user_id')
    .where('hash', '=', hashKey(token))
    .where('kind', '=', kind)
    .where('expires_at', '>', new Date(now).toISOString())
    .executeTakeFirst()
  return row?.user_id ?? null
}

/** Those that can still be used. */
export async function countResetLinks(db: Db, userId: string, now: number): Promise<number> {
  const { total } = await db
    .selectFrom('one_time_links')
    .select(countAll)
    .where('user_id', '=', userId)
    .where('kind', '=', 'reset')
    .where('expires_at', '>', new Date(now).toISOString())
    .executeTakeFirstOrThrow()
  return total
}

/** Deletes the link and returns its user; of two requests with the same link, one gets null. */
export async function takeLink(
  tx: Db,
  { kind, token, now }: { kind: LinkKind; token: string; now: number },
): Promise<string | null> {
  const row = await tx
    .deleteFrom('one_time_links')
    .where('hash', '=', hashKey(token))
    .where('kind', '=', kind)
    .where('expires_at', '>', new Date(now).toISOString())
    .returning('user_id')
    .executeTakeFirst()
  return row?.user_id ?? null
}

/** Replaces an earlier one of the user. */
export async function insertEmailLink(
  tx: Db,
  { userId, email, token, now }: { userId: string; email: string; token: string; now: number },
): Promise<void> {
  await tx.deleteFrom('one_time_links').where('user_id', '=', userId).where('kind', '=', 'email').execute()
  await tx
    .insertInto('one_time_links')
    .values({
      hash: hashKey(token),
      kind: 'email',
      user_id: userId,
      email,
      created_at: new Date(now),
      expires_at: new Date(now + linkValidMs),
    })
    .execute()
}

/** Deletes the link of this user and returns the address that it confirms. */
export async function takeEmailLink(
  tx: Db,
  { userId, token, now }: { userId: string; token: string; now: number },
): Promise<string | null> {
  const row = await tx
    .deleteFrom('one_time_links')
    .where('hash', '=', hashKey(token))
    .where('kind', '=', 'email')
    .where('user_id', '=', userId)
    .where('expires_at', '>', new Date(now).toISOString())
    .returning('email')
    .executeTakeFirst()
  return row?.email ?? null
}

export async function deleteLinks(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('one_time_links').where('user_id', '=', userId).execute()
}
