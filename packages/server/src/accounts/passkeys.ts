// People add passkeys, and sign in by them. A device checks its user (by a fingerprint or a PIN), so a passkey stands for both factors.
import {
  ApiError,
  invalidInput,
  minuteMs,
  type PasskeyAssertion,
  type PasskeyInput,
} from '@vedette/contracts'
import type { z } from 'zod'
import { listIdentities } from '../storage/accounts/identities.ts'
import {
  deletePasskey,
  findPasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  usePasskey,
} from '../storage/accounts/passkeys.ts'
import { findPasswordHash } from '../storage/accounts/passwords.ts'
import { insertChallenge, takeChallenge } from '../storage/accounts/sign-in-challenges.ts'
import type { NewSignIn } from '../storage/accounts/sign-ins.ts'
import { findUser, lockUser } from '../storage/accounts/users.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { mapUniqueViolation } from '../storage/core/map-unique-violation.ts'
import type { RelyingParty } from './relying-party.ts'
import { endOthers, type FactorOwner, type FactorParts } from './second-factor.ts'
import { completeSignIn, RefusedSignIn, type SignInClient } from './sign-in.ts'

type Assertion = z.output<typeof PasskeyAssertion>

const challengeMs = 5 * minuteMs
const longestList = 20

/** Ed25519, ECDSA on P-256, RSA: what devices have, in the order of preference. */
const algorithms = [-8, -7, -257]

export async function beginPasskeySignIn({ db, clock }: FactorParts, { id }: RelyingParty) {
  const expiresAt = clock.now() + challengeMs
  const challenge = await insertChallenge(db, { kind: 'passkey', userId: null, expiresAt })
  return { challenge, rpId: id, timeout: challengeMs, userVerification: 'required' as const }
}

export async function signInByPasskey(
  parts: FactorParts,
  party: RelyingParty,
  assertion: Assertion,
  client: SignInClient,
): Promise<NewSignIn> {
  const passkey = await provePasskey(parts, party, assertion)
  return transact(parts.db, async (tx) => {
    // A passkey that is removed meanwhile must not start a sign-in.
    await lockUser(tx, passkey.user_id)
    if ((await findPasskey(tx, passkey.user_id, passkey.id)) === null) throw refused()
    return completeSignIn(tx, passkey.user_id, client, parts.clock.now())
  })
}

/** The passkey that signed the challenge. The same refusal for unknown ones and wrong signatures. */
export async function provePasskey(
  { db, clock }: FactorParts,
  party: RelyingParty,
  assertion: Assertion,
): Promise<PasskeyRow> {
  const now = clock.now()
  const passkey = await findPasskeyByCredential(db, Buffer.from(assertion.id, 'base64url'))
  const counter = await verifyAssertion(db, { party, assertion, passkey, now })
  if (passkey === null) throw refused()
  if (counter === null || !(await usePasskey(db, passkey, counter, now)))
    throw new RefusedSignIn(passkey.user_id, refused().message)
  return passkey
}

/** The new counter; null: it is wrong. The challenge is used up either way. */
async function verifyAssertion(
  db: Db,
  {
    party,
    assertion,
    passkey,
    now,
  }: { party: RelyingParty; assertion: Assertion; passkey: PasskeyRow | null; now: number },
): Promise<number | null> {
  const isOurs = await takeSignedChallenge(db, assertion.clientDataJSON, {
    kind: 'passkey',
    userId: null,
    now,
  })
  if (!isOurs || passkey === null) return null
  if (assertion.userHandle !== undefined && assertion.userHandle !== handleOf(passkey.user_id)) return null
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { id, userHandle, ...signed } = assertion
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { ...signed, ...(userHandle === undefined ? {} : { userHandle }) },
      },
      expectedChallenge: () => true,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id, publicKey: new Uint8Array(passkey.public_key), counter: Number(passkey.counter) },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    // The library throws for what doesn't match: origin, counter, flags, encoding.
    return null
  }
}

export async function beginPasskeyRegistration(
  { db, clock }: FactorParts,
  { id }: RelyingParty,
  userId: string,
) {
  const user = await findUser(db, userId)
  if (user === null) throw new ApiError('unauthorized')
  const existing = await listPasskeys(db, userId)
  const expiresAt = clock.now() + challengeMs
  const challenge = await insertChallenge(db, { kind: 'passkey_registration', userId, expiresAt })
  return {
    challenge,
    rp: { id, name: 'Vedette' },
    user: { id: handleOf(userId), name: user.email, displayName: user.name ?? user.email },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
    timeout: challengeMs,
    attestation: 'none' as const,
    authenticatorSelection: {
      ...{ residentKey: 'required' as const, requireResidentKey: true as const },
      userVerification: 'required' as const,
    },
    excludeCredentials: existing.map(({ credential_id, transports }) => ({
      ...{ id: credential_id.toString('base64url'), type: 'public-key' as const, transports },
    })),
  }
}

/** Ends the other sign-ins. */
export async function addPasskey(
  { db, clock }: FactorParts,
  party: RelyingParty,
  owner: FactorOwner,
  { name, credential }: z.output<typeof PasskeyInput>,
): Promise<PasskeyRow> {
  const now = clock.now()
  const { userId } = owner
  const challenge = { kind: 'passkey_registration' as const, userId, now }
  const isOurs = await takeSignedChallenge(db, credential.clientDataJSON, challenge)
  const verified = isOurs ? await verifyRegistration(party, credential) : null
  if (verified === null)
    throw invalidInput([{ path: ['credential'], message: 'is not valid, or older than 5 minutes' }])
  return transact(db, async (tx) => {
    await lockUser(tx, userId)
    if ((await listPasskeys(tx, userId)).length >= longestList)
      throw new ApiError('conflict', { message: `You have ${longestList} passkeys: remove one first.` })
    await endOthers(tx, owner)
    return mapUniqueViolation({ passkeys_credential: 'credential' }, () =>
      insertPasskey(tx, {
        ...{ userId, name, now, transports: credential.transports, counter: verified.counter },
        credentialId: Buffer.from(verified.id, 'base64url'),
        publicKey: Buffer.from(verified.publicKey),
      }),
    )
  })
}

async function verifyRegistration(
  party: RelyingParty,
  { id, attestationObject, clientDataJSON }: z.output<typeof PasskeyInput>['credential'],
) {
  const { verifyRegistrationResponse } = await loadLibrary()
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  try {
    const attested = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
    // Nobody asked for a certificate, and the library would download revocation lists from addresses in it.
    if (!['none', 'packed'].includes(attested.get('fmt')) || attested.get('attStmt').get('x5c') !== undefined)
      return null
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { attestationObject, clientDataJSON },
      },
      expectedChallenge: () => true,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    return verified ? registrationInfo.credential : null
  } catch {
    return null
  }
}

/** Ends the other sign-ins. */
export async function removePasskey({ db }: FactorParts, owner: FactorOwner, id: string): Promise<void> {
  await transact(db, async (tx) => {
    await lockUser(tx, owner.userId)
    if (!(await deletePasskey(tx, owner.userId, id))) throw new ApiError('not_found')
    await requireWayToSignIn(tx, owner.userId)
    await endOthers(tx, owner)
  })
}

export async function requireWayToSignIn(tx: Db, userId: string): Promise<void> {
  const hash = await findPasswordHash(tx, userId)
  const others = [...(await listPasskeys(tx, userId)), ...(await listIdentities(tx, userId))]
  if (hash !== null || others.length > 0) return
  throw new ApiError('conflict', {
    message: 'You could no longer sign in. Choose a password or add another passkey first.',
  })
}

/** Whether this server issued the challenge that the device signed, to this user, and it wasn't used before. */
async function takeSignedChallenge(
  db: Db,
  clientDataJSON: string,
  { kind, userId, now }: { kind: 'passkey' | 'passkey_registration'; userId: string | null; now: number },
): Promise<boolean> {
  const token = challengeIn(clientDataJSON)
  const taken = token === null ? null : await takeChallenge(db, { kind, token, now })
  return taken !== null && taken.userId === userId
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const challenge = typeof data === 'object' && data !== null && 'challenge' in data ? data.challenge : null
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}

/** What the device stores beside the key. */
function handleOf(userId: string): string {
  return Buffer.from(userId).toString('base64url')
}

function refused(): ApiError {
  return new ApiError('unauthorized', {
    message: "This passkey isn't registered here, or took longer than 5 minutes. Try again.",
  })
}

/** Loaded when the first passkey is used: it takes 25 MB. */
function loadLibrary() {
  return import('@simplewebauthn/server')
}
