// Sign-ins of users: what an API key is to programs. The cookie has the secret, the store only its hash.
import { randomBytes, randomUUID } from 'node:crypto'
import { dayMs, type Role } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { byHash, hashKey, type Principal, principalOf } from './api-keys.ts'

export type SignInRow = Selectable<Tables['sign_ins']>

const idleMs = 7 * dayMs
export const longestSignInMs = 30 * dayMs

export interface NewSignIn {
  row: SignInRow
  /** The value of the cookie, which isn't stored. */
  secret: string
}

export async function insertSignIn(
  db: Db,
  values: { userId: string; address: string; userAgent: string | null; now: number },
): Promise<NewSignIn> {
  const secret = randomBytes(32).toString('base64url')
  const at = new Date(values.now)
  const row = await db
    .insertInto('sign_ins')
    .values({
      id: randomUUID(),
      user_id: values.userId,
      hash: hashKey(secret),
      user_agent: values.userAgent,
      address: values.address,
      signed_in_at: at,
      confirmed_at: at,
      last_used_at: at,
      expires_at: new Date(values.now + idleMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  return { row, secret }
}

/** The callers with the roles of their users, in the order of the hashes; null: the sign-in is over. */
export async function findSignInPrincipals(
  pool: pg.Pool,
  hashes: readonly Buffer[],
  now: Date,
): Promise<(Principal | null)[]> {
  const { rows } = await pool.query<SignInPrincipalRow>({
    name: 'find-sign-ins',
    text: `
      select encode(s.hash, 'hex') as hash, s.id, s.user_id, s.confirmed_at, s.last_used_at, s.expires_at, m.account_id, m.role,
        a.plan
      from sign_ins s
      left join memberships m on m.user_id = s.user_id
      left join accounts a on a.id = m.account_id
      where s.hash = any($1::bytea[]) and s.expires_at > $2`,
    values: [hashes, now],
  })
  return byHash(hashes, rows).map(signInPrincipalOf)
}

interface SignInPrincipalRow {
  hash: string
  id: string
  user_id: string
  confirmed_at: string
  last_used_at: string
  expires_at: string
  account_id: string | null
  role: Role | null
  plan: string | null
}

function signInPrincipalOf(rows: readonly SignInPrincipalRow[]): Principal | null {
  const principal = principalOf(rows)
  const [first] = rows
  if (principal === null || first === undefined) return null
  const signIn = {
    confirmedAt: Date.parse(first.confirmed_at),
    lastUsedAt: Date.parse(first.last_used_at),
    expiresAt: Date.parse(first.expires_at),
  }
  return { ...principal, signIn }
}

/** Moves the end of the sign-ins. */
export async function touchSignIns(db: Db, ids: readonly string[], at: Date): Promise<void> {
  const idleUntil = new Date(at.getTime() + idleMs)
  await sql`update sign_ins set last_used_at = ${at},
      expires_at = least(${idleUntil}::timestamptz, signed_in_at + ${longestSignInMs} * interval '1 millisecond')
    where id = any(${ids}::uuid[]) and last_used_at < ${at}`.execute(db)
}

export async function findSignIn(db: Db, id: string): Promise<SignInRow | null> {
  return (await db.selectFrom('sign_ins').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function listSignIns(db: Db, userId: string, now: Date): Promise<SignInRow[]> {
  return db
    .selectFrom('sign_ins')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now.toISOString())
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute()
}

/** Null: it is over. */
export async function updateConfirmedAt(db: Db, id: string, at: Date): Promise<SignInRow | null> {
  const row = await db
    .updateTable('sign_ins')
    .set({ confirmed_at: at })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function deleteSignIn(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sign_ins')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteSignInBySecret(db: Db, secret: string): Promise<void> {
  await db.deleteFrom('sign_ins').where('hash', '=', hashKey(secret)).execute()
}

/** Of a user, except the one that may stay. */
export async function deleteSignIns(db: Db, userId: string, exceptId: string | null): Promise<void> {
  const all = db.deleteFrom('sign_ins').where('user_id', '=', userId)
  await (exceptId === null ? all : all.where('id', '<>', exceptId)).execute()
}
