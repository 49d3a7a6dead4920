// People prove again who they are, before they change something sensitive.
import { ApiError, invalidInput } from '@vedette/contracts'
import { findPasswordHash } from '../storage/accounts/passwords.ts'
import { findTotp } from '../storage/accounts/second-factors.ts'
import { type SignInRow, updateConfirmedAt } from '../storage/accounts/sign-ins.ts'
import { findUser } from '../storage/accounts/users.ts'
import { type FactorOwner, type FactorParts, isRightCode } from './second-factor.ts'
import { requirePassword } from './sign-in.ts'

interface Proof {
  password?: string | undefined
  code?: string | undefined
}

export async function confirmSignIn(
  parts: FactorParts,
  { userId, signInId }: FactorOwner,
  proof: Proof,
  bucket: string,
): Promise<SignInRow> {
  await requireProof(parts, userId, proof, bucket)
  const row = await updateConfirmedAt(parts.db, signInId, new Date(parts.clock.now()))
  if (row === null) throw new ApiError('unauthorized')
  return row
}

/** The password, and a code of those who have an authenticator app. */
async function requireProof(
  parts: FactorParts,
  userId: string,
  { password, code }: Proof,
  bucket: string,
): Promise<void> {
  const { db } = parts
  const user = await findUser(db, userId)
  if (user === null) throw new ApiError('unauthorized')
  const [hash, totp] = await Promise.all([findPasswordHash(db, userId), findTotp(db, userId)])
  const missing = [
    ...(hash !== null && password === undefined ? ['password'] : []),
    ...(totp !== null && code === undefined ? ['code'] : []),
  ]
  if (missing.length > 0)
    throw invalidInput(missing.map((name) => ({ path: [name], message: 'is required' })))
  if (hash === null && totp === null) throw nothingToEnter()
  if (hash !== null)
    await requirePassword(parts, user, { password: password ?? '', bucket, field: 'password' })
  if (totp !== null && !(await isRightCode(parts, user, { code: code ?? '', bucket })))
    throw invalidInput([{ path: ['code'], message: 'is wrong, or was used already' }])
}

function nothingToEnter(): ApiError {
  return new ApiError('conflict', { message: 'You have no password. Sign in again instead.' })
}
