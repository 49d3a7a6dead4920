// How people sign in to the app: by email and password, or by a one-time link.
import { z } from 'zod'
import { minuteMs } from '../core/durations.ts'
import { Email, EmailRead, Timestamp, Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'

/** After that time, sensitive changes ask for the password again. */
export const confirmationMs = 10 * minuteMs

export const SignIn = z
  .object({
    id: Uuid,
    user: z.object({ id: Uuid, name: z.string().nullable(), email: EmailRead }),
    accounts: z.array(z.object({ id: Uuid, name: z.string(), role: Role })),
    signedInAt: Timestamp,
    confirmedAt: Timestamp.describe('When the person last proved who they are'),
    expiresAt: Timestamp.describe('Moves while the sign-in is used, up to 30 days after its start'),
  })
  .meta({ id: 'SignIn' })

export const PendingSignIn = z
  .object({
    secondFactor: z.object({
      token: z.string().describe('Send it with a code to POST /v1/sign-in/second-factor'),
      expiresAt: Timestamp,
    }),
  })
  .meta({ id: 'PendingSignIn' })

/** Of routes that sign in, unless the user has a second factor. */
export const signInOutcome = {
  status: 200,
  alternativeStatuses: [202],
  response: z.union([SignIn, PendingSignIn]),
  documentedResponses: { 200: SignIn, 202: PendingSignIn },
  headers: { 'cache-control': 'no-store' },
}

export const secondStep = 'With a second factor the status is 202, and a code completes the sign-in.'

export const SignInEntry = z
  .object({
    id: Uuid,
    userAgent: z.string().nullable(),
    address: z.string().describe('An IPv4 address, or the /64 network of an IPv6 address'),
    signedInAt: Timestamp,
    lastUsedAt: Timestamp.describe('Within a minute'),
    isCurrent: z.boolean().describe('Whether this request uses it'),
  })
  .meta({ id: 'SignInEntry' })

const maxPassword = 200
export const NewPassword = z.string().min(10).max(maxPassword)
export const EnteredPassword = z.string().min(1).max(maxPassword)
export const SecondFactorCode = z
  .string()
  .min(6)
  .max(40)
  .describe('A code of the authenticator app, or a recovery code')
export const LinkToken = z.string().min(1).max(200).describe('The part of the link after the #')
export const UserName = z.string().min(1).max(200)

/** What a device signed, in base64url. */
export const PasskeyAssertion = z
  .object({
    id: z.string().min(1).max(2048),
    authenticatorData: z.string().min(1).max(5_000),
    clientDataJSON: z.string().min(1).max(5_000),
    signature: z.string().min(1).max(5_000),
    userHandle: z.string().max(200).optional(),
  })
  .meta({ id: 'PasskeyAssertion' })

export const SignInInput = z
  .object({ email: z.string().min(1).max(320), password: EnteredPassword })
  .meta({ id: 'SignInInput' })

export const SetupInput = z
  .object({ token: LinkToken, name: UserName, email: Email, password: NewPassword })
  .meta({ id: 'SetupInput' })

export const ConfirmationInput = z
  .object({
    password: EnteredPassword.optional().describe('Required of users who have one'),
    code: SecondFactorCode.optional().describe('Required of users with an authenticator app'),
    passkey: PasskeyAssertion.optional().describe('Instead of password and code'),
  })
  .meta({ id: 'ConfirmationInput' })

export const SignInWays = z
  .object({
    passkeys: z.object({
      origin: z.string().nullable().describe('The only origin at which they work; null: nowhere'),
      reason: z.string().nullable().describe('Why there are none'),
    }),
    singleSignOn: z
      .object({ label: z.string().describe('The name of the identity provider') })
      .nullable()
      .describe('Null: the operator has set none'),
  })
  .meta({ id: 'SignInWays' })

const tag = 'Sign-in'
const headers = { 'cache-control': 'no-store' }
const password = 'correct horse battery'
const setsCookie = 'Sets the cookie that later requests carry.'
const byCookie = 'For requests with the cookie of a sign-in: an API key has none.'

export const getSetup = route({
  method: 'GET',
  path: '/v1/setup',
  tag,
  summary: 'Has anyone chosen a password yet?',
  access: 'public',
  status: 200,
  response: z
    .object({
      isDone: z.boolean(),
      sendsMail: z.boolean().describe('Whether the operator has set a mail server'),
    })
    .meta({ id: 'Setup' }),
})

export const setUp = route({
  method: 'POST',
  path: '/v1/setup',
  tag,
  summary: 'Set up the owner by the printed link',
  description: `The link works once, for 24 hours; \`npx vedette setup-link\` prints another one. ${setsCookie} ${secondStep}`,
  access: 'public',
  startsSignIn: true,
  body: SetupInput,
  ...signInOutcome,
  errors: [403, 404, 409],
  example: { token: 'k3x…', name: 'Ann', email: 'ann@example.com', password },
})

export const signIn = route({
  method: 'POST',
  path: '/v1/sign-in',
  tag,
  summary: 'Sign in by email and password',
  description: `After several failures, the next attempt has to wait (429). ${setsCookie} ${secondStep}`,
  access: 'public',
  startsSignIn: true,
  body: SignInInput,
  ...signInOutcome,
  errors: [401, 403],
  example: { email: 'ann@example.com', password },
})

export const getSignInWays = route({
  method: 'GET',
  path: '/v1/sign-in/ways',
  tag,
  summary: 'Read how people can sign in here',
  description: 'The same for everyone: it shows nothing about users.',
  access: 'public',
  status: 200,
  response: SignInWays,
})

export const getSignIn = route({
  method: 'GET',
  path: '/v1/sign-in',
  tag,
  summary: 'Who is signed in, and the accounts they reach',
  description: byCookie,
  access: 'key',
  status: 200,
  response: SignIn,
  headers,
})

export const signOut = route({
  method: 'DELETE',
  path: '/v1/sign-in',
  tag,
  summary: 'Sign out',
  description: byCookie,
  access: 'key',
  status: 204,
})

export const confirmSignIn = route({
  method: 'POST',
  path: '/v1/sign-in/confirmation',
  tag,
  summary: 'Prove again who you are',
  description: `Ten minutes after a sign-in, sensitive changes respond with 403 until the person proves who they are. ${byCookie}`,
  access: 'key',
  body: ConfirmationInput,
  status: 200,
  response: SignIn,
  headers,
  errors: [409],
  example: { password },
})

export const listSignIns = route({
  method: 'GET',
  path: '/v1/sign-ins',
  tag,
  summary: 'List where you are signed in',
  access: 'key',
  status: 200,
  response: z.array(SignInEntry),
})

export const endSignIn = route({
  method: 'DELETE',
  path: '/v1/sign-ins/{id}',
  tag,
  summary: 'End one of your sign-ins',
  access: 'key',
  params: z.object({ id: Uuid }),
  status: 204,
})
