import { randomBytes } from 'node:crypto'
import { ApiError, beginSingleSignOn, deleteIdentity, finishSingleSignOn } from '@vedette/contracts'
import { readRoleMapping } from '../../accounts/role-mapping.ts'
import * as singleSignOn from '../../accounts/single-sign-on.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findOwnIdentity } from '../../storage/accounts/identities.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { readSingleSignOnCookie, singleSignOnCookie } from '../transport/sign-in-cookie.ts'
import { respondStarted, signedInOf, signInClient, signInParts } from './signed-in.ts'

export function singleSignOnRoutes(deps: Deps): Mounted[] {
  const { config, keys } = deps
  const parts = signInParts(deps)
  const mapping = readRoleMapping(config.OIDC_ROLE_CLAIM, config.OIDC_ROLES)
  const allowedDomains = config.OIDC_ALLOWED_DOMAINS?.split(',').map((domain) => domain.trim()) ?? []
  const accountId = config.OIDC_ACCOUNT_ID ?? null
  return [
    handle(beginSingleSignOn, async ({ body, request, setHeader }) => {
      const provider = requireProvider(deps)
      // Kept if there is one: people sign in from several tabs.
      const browserSecret =
        readSingleSignOnCookie(config, request.headers) ?? randomBytes(32).toString('base64url')
      const url = await singleSignOn.beginSingleSignOn(parts, provider, { ...body, browserSecret })
      setHeader('set-cookie', singleSignOnCookie(config, browserSecret, singleSignOn.singleSignOnMs / 1000))
      return { url }
    }),
    handle(finishSingleSignOn, async (call) => {
      const rules = { provider: requireProvider(deps), allowedDomains, mapping, accountId }
      const browserSecret = readSingleSignOnCookie(config, call.request.headers)
      const client = signInClient(config, call.request)
      const input = { query: call.body.query, browserSecret }
      return respondStarted(deps, call, await singleSignOn.finishSingleSignOn(parts, rules, input, client))
    }),
    handle(deleteIdentity, async ({ principal, params }) => {
      orNotFound(await findOwnIdentity(deps.store.db, userOf(principal), params.id))
      await singleSignOn.disconnectIdentity(parts, signedInOf(principal), params.id)
      keys.forget()
    }),
  ]
}

function requireProvider({ oidc }: Deps) {
  if (oidc !== undefined) return oidc
  throw new ApiError('not_found', { message: 'The operator of this server has set no identity provider.' })
}
