// The second step of a sign-in, and how people turn it on and off.
import { ApiError, invalidInput, minuteMs } from '@vedette/contracts'
import {
  countRecoveryCodes,
  deleteTotp,
  findTotp,
  insertTotp,
  replaceRecoveryCodes,
  spendRecoveryCode,
  spendTotpStep,
  unsealTotpSecret,
} from '../storage/accounts/second-factors.ts'
import {
  deleteChallenges,
  findChallenge,
  insertChallenge,
  takeChallenge,
} from '../storage/accounts/sign-in-challenges.ts'
import { deleteSignIns, type NewSignIn } from '../storage/accounts/sign-ins.ts'
import { findUser, lockUser, type UserRow } from '../storage/accounts/users.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { isSealed, type Vault } from '../storage/core/vault.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { completeSignIn, RefusedSignIn, type SignInClient, type SignInParts } from './sign-in.ts'
import { attempt } from './sign-in-attempts.ts'
import { findTotpStep, newTotpSecret, otpauthUri } from './totp.ts'

export interface FactorParts extends SignInParts {
  vault: Vault
}

/** A person, and the sign-in by which they change their factors. */
export interface FactorOwner {
  userId: string
  signInId: string
}

/** Longer than a sign-in may wait: people install an app meanwhile. */
const enrollmentMs = 15 * minuteMs

export async function enterSecondFactor(
  parts: FactorParts,
  { token, code }: { token: string; code: string },
  client: SignInClient,
): Promise<NewSignIn> {
  const { db, clock } = parts
  const presented = { kind: 'second_factor' as const, token, now: clock.now() }
  const userId = (await findChallenge(db, presented))?.userId ?? null
  const user = userId === null ? null : await findUser(db, userId)
  if (user === null) throw tookTooLong()
  if (!(await isRightCode(parts, user, { code, bucket: client.bucket })))
    throw new RefusedSignIn(user.id, 'The code is wrong, or was used already.')
  return transact(db, async (tx) => {
    if ((await takeChallenge(tx, presented)) === null) throw tookTooLong()
    return completeSignIn(tx, user.id, client, clock.now())
  })
}

function tookTooLong(): ApiError {
  return new ApiError('unauthorized', {
    message: 'This sign-in took longer than 5 minutes, or was completed already. Begin again.',
    attributes: { code: 'second_factor_expired' },
  })
}

/** A code of the app or a recovery code. It doesn't work again. Throws a 429 after too many failures. */
export async function isRightCode(
  { db, clock, vault }: FactorParts,
  { id, email }: Pick<UserRow, 'id' | 'email'>,
  { code, bucket }: { code: string; bucket: string },
): Promise<boolean> {
  return attempt(
    db,
    { bucket, email, of: 'code' },
    () => clock.now(),
    () => spendCode(db, vault, { userId: id, code, now: clock.now() }),
  )
}

async function spendCode(
  db: Db,
  vault: Vault,
  { userId, code, now }: { userId: string; code: string; now: number },
): Promise<boolean> {
  const plain = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(plain)) return spendRecoveryCode(db, userId, hashRecoveryCode(userId, code))
  const factor = await findTotp(db, userId)
  const step = factor === null ? null : findTotpStep(unsealTotpSecret(vault, factor), plain, now)
  return step !== null && spendTotpStep(db, userId, step)
}

/** The factor counts from the first code on. */
export async function beginTotpEnrollment({ db, clock, vault }: FactorParts, userId: string) {
  const now = clock.now()
  const user = await findUser(db, userId)
  if (user === null) throw new ApiError('unauthorized')
  const secret = newTotpSecret()
  const expiresAt = now + enrollmentMs
  await transact(db, async (tx) => {
    await lockUser(tx, userId)
    if ((await findTotp(tx, userId)) !== null) throw isOnAlready()
    await deleteChallenges(tx, userId, 'totp_enrollment')
    await insertChallenge(
      tx,
      { kind: 'totp_enrollment', userId, facts: vault.seal(userId, secret), expiresAt },
      enrollmentToken(userId),
    )
  })
  return { secret, uri: otpauthUri(secret, user.email), expiresAt: new Date(expiresAt).toISOString() }
}

/** Turns it on, ends the other sign-ins, and returns the recovery codes. */
export async function finishTotpEnrollment(
  { db, clock, vault }: FactorParts,
  { userId, signInId }: FactorOwner,
  code: string,
): Promise<string[]> {
  const now = clock.now()
  return transact(db, async (tx) => {
    await lockUser(tx, userId)
    const presented = { kind: 'totp_enrollment' as const, token: enrollmentToken(userId), now }
    const facts = (await findChallenge(tx, presented))?.facts
    if (!isSealed(facts)) throw notBegun()
    const secret = vault.unseal(userId, facts)
    const step = findTotpStep(secret, code.replace(/\s/g, ''), now)
    if (step === null) throw invalidInput([{ path: ['code'], message: 'is wrong' }])
    if (!(await insertTotp(tx, vault, { userId, secret, step, now }))) throw isOnAlready()
    await endOthers(tx, { userId, signInId })
    return renewRecoveryCodes(tx, userId, now)
  })
}

export async function turnOffTotp({ db }: FactorParts, owner: FactorOwner): Promise<void> {
  await transact(db, async (tx) => {
    await lockUser(tx, owner.userId)
    if (!(await deleteTotp(tx, owner.userId))) throw isOff()
    await endOthers(tx, owner)
  })
}

/** The ones before stop working. */
export async function replaceCodes({ db, clock }: FactorParts, owner: FactorOwner): Promise<string[]> {
  return transact(db, async (tx) => {
    await lockUser(tx, owner.userId)
    if ((await findTotp(tx, owner.userId)) === null) throw isOff()
    await endOthers(tx, owner)
    return renewRecoveryCodes(tx, owner.userId, clock.now())
  })
}

export async function readTotp(db: Db, userId: string) {
  const [factor, recoveryCodesLeft] = await Promise.all([
    findTotp(db, userId),
    countRecoveryCodes(db, userId),
  ])
  return factor === null ? null : { enrolledAt: factor.enrolled_at, recoveryCodesLeft }
}

/** After a change of factors: other sign-ins, and those that are under way. */
export async function endOthers(tx: Db, { userId, signInId }: FactorOwner): Promise<void> {
  await deleteSignIns(tx, userId, signInId)
  await deleteChallenges(tx, userId)
}

async function renewRecoveryCodes(tx: Db, userId: string, now: number): Promise<string[]> {
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashRecoveryCode(userId, code)),
    now,
  )
  return codes
}

/** A user has one enrollment at a time. */
function enrollmentToken(userId: string): string {
  return `totp enrollment of ${userId}`
}

function notBegun(): ApiError {
  return new ApiError('not_found', {
    message: 'Scan a new QR code first: the one before is older than 15 minutes.',
  })
}

function isOnAlready(): ApiError {
  return new ApiError('conflict', { message: 'You have an authenticator app already: turn it off first.' })
}

function isOff(): ApiError {
  return new ApiError('conflict', { message: 'You have no authenticator app.' })
}
