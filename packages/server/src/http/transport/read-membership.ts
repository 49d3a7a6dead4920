import type { IncomingHttpHeaders } from 'node:http'
import { hashKey } from '../../storage/accounts/api-keys.ts'
import { findSignInPrincipals } from '../../storage/accounts/sign-ins.ts'
import type { Deps } from './deps.ts'
import { readSignInCookie } from './sign-in-cookie.ts'

/** For pages outside of the API: whether the cookie of a request belongs to a member of an account. */
export function readMembership({ config, store, clock }: Pick<Deps, 'config' | 'store' | 'clock'>) {
  return async (headers: IncomingHttpHeaders, accountId: string): Promise<boolean> => {
    const secret = readSignInCookie(config, headers)
    if (secret === undefined) return false
    const [principal] = await findSignInPrincipals(store.pool, [hashKey(secret)], new Date(clock.now()))
    return principal?.roles.has(accountId) ?? false
  }
}
