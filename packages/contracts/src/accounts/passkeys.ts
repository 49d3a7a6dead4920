// Passkeys (WebAuthn): a key of a device, which checks who uses it. It stands for both factors.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { PasskeyAssertion, SignIn } from './sign-in.ts'

export const PasskeyName = z.string().trim().min(1).max(100)

export const Passkey = z
  .object({ id: Uuid, name: z.string(), createdAt: Timestamp, lastUsedAt: Timestamp.nullable() })
  .meta({ id: 'Passkey' })

const Bytes = z.string().describe('In base64url')
const Known = z.object({ id: Bytes, type: z.literal('public-key'), transports: z.array(z.string()) })

/** For `PublicKeyCredential.parseCreationOptionsFromJSON` of browsers. */
export const PasskeyCreationOptions = z
  .object({
    challenge: Bytes,
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: Bytes, name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
    timeout: z.int(),
    attestation: z.literal('none'),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.literal(true),
      userVerification: z.literal('required'),
    }),
    excludeCredentials: z.array(Known).describe('Those that you have'),
  })
  .meta({ id: 'PasskeyCreationOptions' })

/** For `PublicKeyCredential.parseRequestOptionsFromJSON` of browsers. */
export const PasskeyRequestOptions = z
  .object({
    challenge: Bytes,
    rpId: z.string(),
    timeout: z.int(),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'PasskeyRequestOptions' })

export const PasskeyRegistration = z
  .object({
    id: z.string().min(1).max(2048),
    attestationObject: z.string().min(1).max(20_000),
    clientDataJSON: z.string().min(1).max(5_000),
    transports: z.array(z.string().max(40)).max(10).default([]),
  })
  .meta({ id: 'PasskeyRegistration' })

export const PasskeyInput = z
  .object({ name: PasskeyName, credential: PasskeyRegistration })
  .meta({ id: 'PasskeyInput' })

const tag = 'Sign-in'
const headers = { 'cache-control': 'no-store' }
const params = z.object({ id: Uuid })
const hiddenOverHttp =
  '409 where browsers have no passkeys: over http (except localhost), and at an IP address.'
const endsOthers = 'Ends your other sign-ins. For requests with the cookie of a sign-in.'
const assertion = { id: 'k3x…', authenticatorData: 'SZY…', clientDataJSON: 'eyJ…', signature: 'MEU…' }

export const beginPasskeySignIn = route({
  method: 'POST',
  path: '/v1/sign-in/passkey/options',
  tag,
  summary: 'Begin to sign in, or to prove who you are, by passkey',
  description: `The challenge works once, for 5 minutes. ${hiddenOverHttp}`,
  access: 'public',
  status: 200,
  response: PasskeyRequestOptions,
  headers,
  errors: [409],
})

export const signInByPasskey = route({
  method: 'POST',
  path: '/v1/sign-in/passkey',
  tag,
  summary: 'Sign in by passkey',
  description: 'Stands for both factors. Sets the cookie that later requests carry.',
  access: 'public',
  startsSignIn: true,
  body: PasskeyAssertion,
  status: 200,
  response: SignIn,
  headers,
  errors: [401, 403, 409],
  example: assertion,
})

export const beginPasskeyRegistration = route({
  method: 'POST',
  path: '/v1/users/me/passkeys/options',
  tag,
  summary: 'Begin to add a passkey',
  description: `The challenge works once, for 5 minutes. ${hiddenOverHttp} For requests with the cookie of a sign-in.`,
  access: 'key',
  needsConfirmation: true,
  status: 200,
  response: PasskeyCreationOptions,
  headers,
  errors: [409],
})

export const createPasskey = route({
  method: 'POST',
  path: '/v1/users/me/passkeys',
  tag,
  summary: 'Add a passkey',
  description: endsOthers,
  access: 'key',
  needsConfirmation: true,
  body: PasskeyInput,
  status: 201,
  response: Passkey,
  errors: [409],
  example: {
    name: 'Laptop',
    credential: { id: 'k3x…', attestationObject: 'o2N…', clientDataJSON: 'eyJ…', transports: ['internal'] },
  },
})

export const renamePasskey = route({
  method: 'PATCH',
  path: '/v1/users/me/passkeys/{id}',
  tag,
  summary: 'Rename a passkey',
  description: 'For requests with the cookie of a sign-in.',
  access: 'key',
  params,
  body: z.object({ name: PasskeyName }).meta({ id: 'PasskeyUpdate' }),
  status: 200,
  response: Passkey,
  example: { name: 'Laptop' },
})

export const deletePasskey = route({
  method: 'DELETE',
  path: '/v1/users/me/passkeys/{id}',
  tag,
  summary: 'Remove a passkey',
  description: `409 if you could no longer sign in. ${endsOthers}`,
  access: 'key',
  needsConfirmation: true,
  params,
  status: 204,
  errors: [409],
})
