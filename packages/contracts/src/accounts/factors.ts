// How a person proves who they are.
import { z } from 'zod'
import { Timestamp } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { Passkey } from './passkeys.ts'
import { Identity } from './single-sign-on.ts'

export const Factors = z
  .object({
    hasPassword: z.boolean(),
    totp: z
      .object({ enrolledAt: Timestamp, recoveryCodesLeft: z.int() })
      .nullable()
      .describe('The authenticator app; null: none'),
    passkeys: z.array(Passkey),
    identities: z.array(Identity).describe('Who you are at the identity provider'),
  })
  .meta({ id: 'Factors' })

export const getFactors = route({
  method: 'GET',
  path: '/v1/users/me/factors',
  tag: 'Sign-in',
  summary: 'Read how you can prove who you are',
  description: 'For users only: a service key has no factors.',
  access: 'key',
  status: 200,
  response: Factors,
  headers: { 'cache-control': 'no-store' },
})
