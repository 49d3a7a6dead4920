// People sign in, and enter their password again. Hashing takes long, so it happens outside of the transactions.
import { ApiError, invalidInput, minuteMs } from '@vedette/contracts'
import type { Clock } from '../core/clock.ts'
import {
  findCredentials,
  findPasswordHash,
  isCurrentHash,
  replaceHash,
} from '../storage/accounts/passwords.ts'
import { findTotp } from '../storage/accounts/second-factors.ts'
import { insertChallenge } from '../storage/accounts/sign-in-challenges.ts'
import { deleteSignInBySecret, insertSignIn, type NewSignIn } from '../storage/accounts/sign-ins.ts'
import { lockUser, type UserRow } from '../storage/accounts/users.ts'
import { type Db, transact } from '../storage/core/db.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { attempt } from './sign-in-attempts.ts'

export interface SignInParts {
  db: Db
  clock: Clock
  passwords: PasswordHasher
}

/** The browser that a person uses. */
export interface SignInClient {
  /** Of its address: `addressBucket`. */
  bucket: string
  address: string
  userAgent: string | null
  /** The cookie that it has, if any: signing in replaces it. */
  secret: string | undefined
}

/** The first step was right; the second one is a code. */
interface PendingSignIn {
  token: string
  expiresAt: number
}

export type SignInStart = NewSignIn | PendingSignIn

/** How long a person may look for the code. */
const secondStepMs = 5 * minuteMs

/** It is known who was to be signed in, so the refusal is part of their audit log. */
export class RefusedSignIn extends ApiError {
  readonly userId: string
  constructor(userId: string, message: string) {
    super('unauthorized', { message })
    this.userId = userId
  }
}

export async function signInByPassword(
  parts: SignInParts,
  { email, password }: { email: string; password: string },
  client: SignInClient,
): Promise<SignInStart> {
  const { db, clock, passwords } = parts
  const { userId = null, hash = null } = (await findCredentials(db, email)) ?? {}
  const isRight = await attempt(
    db,
    { bucket: client.bucket, email },
    () => clock.now(),
    () => passwords.verify(password, hash),
  )
  if (!isRight || userId === null || hash === null) throw wrongPassword()
  const signedIn = await transact(db, async (tx) => {
    if (!(await isCurrentHash(tx, userId, hash))) throw wrongPassword()
    return startSignIn(tx, userId, client, clock.now())
  })
  if (passwords.isOutdated(hash)) await replaceHash(db, userId, hash, await passwords.hash(password))
  return signedIn
}

/** The same for an unknown email and a wrong password. */
function wrongPassword(): ApiError {
  return new ApiError('unauthorized', { message: 'The email or the password is wrong.' })
}

/** Signs in, or asks for the second factor of users who have one. */
export async function startSignIn(
  tx: Db,
  userId: string,
  client: SignInClient,
  now: number,
): Promise<SignInStart> {
  // A factor that is turned on meanwhile ends sign-ins, so it must see this one.
  await lockUser(tx, userId)
  if ((await findTotp(tx, userId)) === null) return completeSignIn(tx, userId, client, now)
  const expiresAt = now + secondStepMs
  return { token: await insertChallenge(tx, { kind: 'second_factor', userId, expiresAt }), expiresAt }
}

/** A new secret each time: one that someone else planted in the browser never becomes valid. */
export async function completeSignIn(
  tx: Db,
  userId: string,
  { secret, address, userAgent }: SignInClient,
  now: number,
): Promise<NewSignIn> {
  if (secret !== undefined) await deleteSignInBySecret(tx, secret)
  return insertSignIn(tx, { userId, address, userAgent, now })
}

/** Returns the hash that the password matches. */
export async function requirePassword(
  { db, clock, passwords }: SignInParts,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { password, bucket, field }: { password: string; bucket: string; field: string },
): Promise<string> {
  const hash = await findPasswordHash(db, id)
  const isRight = await attempt(
    db,
    { bucket, email },
    () => clock.now(),
    () => passwords.verify(password, hash),
  )
  if (isRight && hash !== null) return hash
  throw invalidInput([{ path: [field], message: 'is wrong' }])
}
