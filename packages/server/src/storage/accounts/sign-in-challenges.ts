// What a sign-in or a new factor waits for: each works once, for some minutes. The store has only the hash of the token.
import { randomBytes } from 'node:crypto'
import type { Db } from '../core/db.ts'
import { hashKey } from './api-keys.ts'

export type ChallengeKind =
  | 'second_factor'
  | 'totp_enrollment'
  | 'passkey_registration'
  | 'passkey'
  | 'single_sign_on'

interface NewChallenge {
  kind: ChallengeKind
  /** Null: it isn't known yet who signs in. */
  userId: string | null
  facts?: unknown
  expiresAt: number
}

export interface ChallengeRow {
  userId: string | null
  facts: unknown
}

interface Presented {
  kind: ChallengeKind
  token: string
  now: number
}

/** Returns the token. */
export async function insertChallenge(
  db: Db,
  { kind, userId, facts, expiresAt }: NewChallenge,
  token = randomBytes(32).toString('base64url'),
): Promise<string> {
  await db
    .insertInto('sign_in_challenges')
    .values({
      hash: hashKey(token),
      kind,
      user_id: userId,
      facts: facts === undefined ? null : JSON.stringify(facts),
      expires_at: new Date(expiresAt),
    })
    .execute()
  return token
}

export async function findChallenge(db: Db, presented: Presented): Promise<ChallengeRow | null> {
  const row = await db
    .selectFrom('sign_in_challenges')
    .select(['user_id as userId', 'facts'])
    .where('hash', '=', hashKey(presented.token))
    .where('kind', '=', presented.kind)
    .where('expires_at', '>', new Date(presented.now).toISOString())
    .executeTakeFirst()
  return row ?? null
}

/** Deletes it; of two requests with the same token, one gets null. */
export async function takeChallenge(db: Db, presented: Presented): Promise<ChallengeRow | null> {
  const row = await db
    .deleteFrom('sign_in_challenges')
    .where('hash', '=', hashKey(presented.token))
    .where('kind', '=', presented.kind)
    .where('expires_at', '>', new Date(presented.now).toISOString())
    .returning(['user_id as userId', 'facts'])
    .executeTakeFirst()
  return row ?? null
}

export async function deleteChallenges(db: Db, userId: string, kind?: ChallengeKind): Promise<void> {
  const all = db.deleteFrom('sign_in_challenges').where('user_id', '=', userId)
  await (kind === undefined ? all : all.where('kind', '=', kind)).execute()
}
