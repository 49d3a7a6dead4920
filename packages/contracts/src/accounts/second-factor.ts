// A second factor beside the password: codes of an authenticator app, and recovery codes.
import { z } from 'zod'
import { Timestamp } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { SecondFactorCode, SignIn } from './sign-in.ts'

export const SecondFactorInput = z
  .object({
    token: z.string().min(1).max(200).describe('Of the response to the first step'),
    code: SecondFactorCode,
  })
  .meta({ id: 'SecondFactorInput' })

export const TotpEnrollment = z
  .object({
    secret: z.string().describe('To type into the app, in base32'),
    uri: z.string().describe('The content of the QR code'),
    expiresAt: Timestamp.describe('Send a code of the app until then'),
  })
  .meta({ id: 'TotpEnrollment' })

export const TotpConfirmation = z.object({ code: SecondFactorCode }).meta({ id: 'TotpConfirmation' })

export const RecoveryCodes = z
  .object({ recoveryCodes: z.array(z.string()).describe('Each works once. They are shown only here') })
  .meta({ id: 'RecoveryCodes' })

const tag = 'Sign-in'
const headers = { 'cache-control': 'no-store' }
const endsOthers = 'Ends your other sign-ins. For requests with the cookie of a sign-in.'

export const enterSecondFactor = route({
  method: 'POST',
  path: '/v1/sign-in/second-factor',
  tag,
  summary: 'Complete a sign-in by a code',
  description:
    'A code of the authenticator app or a recovery code, each once. After several failures, the next attempt has to wait (429). ' +
    'Sets the cookie that later requests carry.',
  access: 'public',
  startsSignIn: true,
  body: SecondFactorInput,
  status: 200,
  response: SignIn,
  headers,
  errors: [401, 403],
  example: { token: 'k3x…', code: '123456' },
})

export const beginTotpEnrollment = route({
  method: 'POST',
  path: '/v1/users/me/totp',
  tag,
  summary: 'Begin to add an authenticator app',
  description: `Nothing changes until a code of the app is sent. ${endsOthers.split('. ')[1]}`,
  access: 'key',
  needsConfirmation: true,
  status: 200,
  response: TotpEnrollment,
  headers,
  errors: [409],
})

export const finishTotpEnrollment = route({
  method: 'POST',
  path: '/v1/users/me/totp/confirmation',
  tag,
  summary: 'Turn on the authenticator app by its first code',
  description: `Later sign-ins by password need a code. ${endsOthers}`,
  access: 'key',
  needsConfirmation: true,
  body: TotpConfirmation,
  status: 200,
  response: RecoveryCodes,
  headers,
  errors: [404, 409],
  example: { code: '123456' },
})

export const turnOffTotp = route({
  method: 'DELETE',
  path: '/v1/users/me/totp',
  tag,
  summary: 'Turn off the authenticator app',
  description: `Deletes the recovery codes too. ${endsOthers}`,
  access: 'key',
  needsConfirmation: true,
  status: 204,
  errors: [409],
})

export const replaceRecoveryCodes = route({
  method: 'POST',
  path: '/v1/users/me/recovery-codes',
  tag,
  summary: 'Replace your recovery codes',
  description: `The ones before stop working. ${endsOthers}`,
  access: 'key',
  needsConfirmation: true,
  status: 200,
  response: RecoveryCodes,
  headers,
  errors: [409],
})
