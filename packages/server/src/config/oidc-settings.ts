import { roles } from '@vedette/contracts'
import { z } from 'zod'

const grantable = roles.filter((role) => role !== 'OWNER').join('|')

/** Sign-in by the operator's identity provider. */
export const oidcSettings = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$)/.test(url),
      'must begin with https, except on this machine',
    )
    .optional()
    .describe('OpenID Connect: address of the identity provider that people may sign in with'),
  OIDC_CLIENT_ID: z
    .string()
    .min(1)
    .optional()
    .describe('OpenID Connect: the client that is registered there'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('OpenID Connect: the secret of the client'),
  OIDC_LABEL: z
    .string()
    .trim()
    .min(1)
    .max(40)
    .default('single sign-on')
    .describe('OpenID Connect: the button reads "Sign in with <label>"'),
  OIDC_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be scopes, separated by spaces')
    .refine((scopes) => scopes.split(' ').includes('openid'), 'must contain openid')
    .default('openid email profile')
    .describe('OpenID Connect: the scopes to ask for'),
  OIDC_ALLOWED_DOMAINS: z
    .string()
    .toLowerCase()
    .regex(/^[a-z\d.-]+(\s*,\s*[a-z\d.-]+)*$/, 'must be domains, separated by commas')
    .optional()
    .describe(
      'OpenID Connect: people with a verified email in these domains join without an invitation, such as example.com',
    ),
  OIDC_ROLE_CLAIM: z
    .string()
    .min(1)
    .default('groups')
    .describe('OpenID Connect: the claim with the groups of a person; dots lead into objects'),
  OIDC_ROLES: z
    .string()
    .regex(
      new RegExp(`^[^=,]+=(${grantable})(\\s*,\\s*[^=,]+=(${grantable}))*$`),
      'must be group=ROLE, separated by commas; OWNER can only be given here',
    )
    .optional()
    .describe(
      'OpenID Connect: roles by group, applied at each sign-in, such as admins=ADMIN,*=READ_ONLY; the first that fits counts',
    ),
  OIDC_ACCOUNT_ID: z
    .guid()
    .optional()
    .describe('OpenID Connect: the account of these roles; without it the oldest one'),
} satisfies Record<string, z.ZodType>
