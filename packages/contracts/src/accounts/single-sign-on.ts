// Sign-in by the operator's identity provider (OpenID Connect): authorization code flow with PKCE.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { LinkToken, secondStep, signInOutcome } from './sign-in.ts'

export const Identity = z
  .object({
    id: Uuid,
    issuer: z.string(),
    email: z.string().nullable().describe('As the provider had it at the last sign-in'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
  })
  .meta({ id: 'Identity' })

export const SingleSignOnStart = z
  .object({
    invitationToken: LinkToken.optional().describe('To accept an invitation'),
    isConfirmation: z
      .boolean()
      .default(false)
      .describe('Asks the provider to let the person sign in there anew, to prove who they are'),
  })
  .meta({ id: 'SingleSignOnStart' })

export const SingleSignOnInput = z
  .object({
    query: z
      .string()
      .min(1)
      .max(10_000)
      .describe('Of the address that the provider redirected to, after the ?'),
  })
  .meta({ id: 'SingleSignOnInput' })

const tag = 'Sign-in'

export const beginSingleSignOn = route({
  method: 'POST',
  path: '/v1/sign-in/single-sign-on/start',
  tag,
  summary: 'Begin to sign in by the identity provider',
  description:
    'Open the returned address in the browser. The provider redirects to <PUBLIC_URL>/login/sso within 10 minutes. Sets a ' +
    'cookie that ties both requests to one browser. 404 unless the operator has set a provider.',
  access: 'public',
  startsSignIn: true,
  body: SingleSignOnStart,
  bodyOptional: true,
  status: 200,
  response: z.object({ url: z.string() }).meta({ id: 'SingleSignOnAddress' }),
  headers: { 'cache-control': 'no-store' },
  errors: [403, 404],
  example: {},
})

export const finishSingleSignOn = route({
  method: 'POST',
  path: '/v1/sign-in/single-sign-on',
  tag,
  summary: 'Sign in by the response of the identity provider',
  description:
    'Issuer and subject name the person. An identity that is new here joins by an invitation to its verified email, or by a ' +
    `verified email in an allowed domain. Refusals (403) have \`attributes.code\`. ${secondStep}`,
  access: 'public',
  startsSignIn: true,
  body: SingleSignOnInput,
  ...signInOutcome,
  errors: [401, 403, 404, 409],
  example: { query: 'code=k3x…&state=x7u…' },
})

export const deleteIdentity = route({
  method: 'DELETE',
  path: '/v1/users/me/identities/{id}',
  tag,
  summary: 'Disconnect from the identity provider',
  description:
    '409 if you could no longer sign in. Ends your other sign-ins. For requests with the cookie of a sign-in.',
  access: 'key',
  needsConfirmation: true,
  params: z.object({ id: Uuid }),
  status: 204,
  errors: [409],
})
