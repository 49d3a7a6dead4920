// People prove again who they are, before they change something sensitive.
import { ApiError, invalidInput, type PasskeyAssertion } from '@vedette/contracts'
import type { z } from 'zod'
import { findPasswordHash } from '../storage/accounts/passwords.ts'
import { findTotp } from '../storage/accounts/second-factors.ts'
import { type SignInRow, updateConfirmedAt } from '../storage/accounts/sign-ins.ts'
import { findUser } from '../storage/accounts/users.ts'
import { provePasskey } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { type FactorOwner, type FactorParts, isRightCode } from './second-factor.ts'
import { requirePassword } from './sign-in.ts'

interface Proof {
  password?: string | undefined
  code?: string | undefined
  passkey?: { assertion: z.output<typeof PasskeyAssertion>; party: RelyingParty } | undefined
}

export async function confirmSignIn(
  parts: FactorParts,
  { userId, signInId }: FactorOwner,
  proof: Proof,
  bucket: string,
): Promise<SignInRow> {
  if (proof.passkey === undefined) await requireProof(parts, userId, proof, bucket)
  else await requirePasskey(parts, userId, proof.passkey)
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

async function requirePasskey(
  parts: FactorParts,
  userId: string,
  { party, assertion }: NonNullable<Proof['passkey']>,
): Promise<void> {
  const isOwn = await provePasskey(parts, party, assertion).then(
    (passkey) => passkey.user_id === userId,
    (error: unknown) => {
      if (error instanceof ApiError && error.code === 'unauthorized') return false
      throw error
    },
  )
  if (!isOwn) throw invalidInput([{ path: ['passkey'], message: 'is not one of yours, or took too long' }])
}

function nothingToEnter(): ApiError {
  return new ApiError('conflict', { message: 'You have no password. Sign in again instead.' })
}
