// People sign in, and enter their password again. Hashing takes long, so it happens outside of the transactions.
import { ApiError, invalidInput } from '@vedette/contracts'
import type { Clock } from '../core/clock.ts'
import {
  findCredentials,
  findPasswordHash,
  isCurrentHash,
  replaceHash,
} from '../storage/accounts/passwords.ts'
import {
  deleteSignInBySecret,
  insertSignIn,
  type NewSignIn,
  type SignInRow,
  updateConfirmedAt,
} from '../storage/accounts/sign-ins.ts'
import { findUser, type UserRow } from '../storage/accounts/users.ts'
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

export async function signInByPassword(
  parts: SignInParts,
  { email, password }: { email: string; password: string },
  client: SignInClient,
): Promise<NewSignIn> {
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

/** A new secret each time: one that someone else planted in the browser never becomes valid. */
export async function startSignIn(
  tx: Db,
  userId: string,
  { secret, address, userAgent }: SignInClient,
  now: number,
): Promise<NewSignIn> {
  if (secret !== undefined) await deleteSignInBySecret(tx, secret)
  return insertSignIn(tx, { userId, address, userAgent, now })
}

export async function confirmPassword(
  parts: SignInParts,
  {
    signInId,
    userId,
    password,
    bucket,
  }: { signInId: string; userId: string; password: string; bucket: string },
): Promise<SignInRow> {
  const user = await findUser(parts.db, userId)
  if (user === null) throw new ApiError('unauthorized')
  await requirePassword(parts, user, { password, bucket, field: 'password' })
  const row = await updateConfirmedAt(parts.db, signInId, new Date(parts.clock.now()))
  if (row === null) throw new ApiError('unauthorized')
  return row
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
