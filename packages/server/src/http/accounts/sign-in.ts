import {
  ApiError,
  beginPasskeySignIn,
  confirmSignIn,
  endSignIn,
  enterSecondFactor,
  getSetup,
  getSignIn,
  getSignInWays,
  listSignIns,
  setUp,
  signIn,
  signInByPasskey,
  signOut,
} from '@vedette/contracts'
import { confirmSignIn as confirm } from '../../accounts/confirm-sign-in.ts'
import * as passkeys from '../../accounts/passkeys.ts'
import { relyingPartyOf } from '../../accounts/relying-party.ts'
import * as secondFactor from '../../accounts/second-factor.ts'
import { setUpOwner } from '../../accounts/set-up-owner.ts'
import { signInByPassword } from '../../accounts/sign-in.ts'
import { addressBucket } from '../../core/address-bucket.ts'
import { publicUrl } from '../../core/public-url.ts'
import { hasAnyPassword } from '../../storage/accounts/passwords.ts'
import * as signIns from '../../storage/accounts/sign-ins.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { signInCookie } from '../transport/sign-in-cookie.ts'
import { serializeSignIn, serializeSignInEntry } from './serialize-sign-in.ts'
import {
  requirePasskeys,
  respondSignedIn,
  respondStarted,
  signedInOf,
  signInClient,
  signInParts,
} from './signed-in.ts'

export function signInRoutes(deps: Deps): Mounted[] {
  const { clock, config, keys } = deps
  const { db } = deps.store
  const parts = signInParts(deps)
  const end = async (userId: string, id: string): Promise<boolean> => {
    const isFound = await signIns.deleteSignIn(db, userId, id)
    keys.forget()
    return isFound
  }
  return [
    handle(getSetup, async () => ({
      isDone: await hasAnyPassword(db),
      sendsMail: config.SMTP_URL !== undefined,
    })),
    handle(setUp, async (call) => {
      const client = signInClient(config, call.request)
      return respondStarted(deps, call, await setUpOwner(parts, call.body, client))
    }),
    handle(signIn, async (call) => {
      const client = signInClient(config, call.request)
      return respondStarted(deps, call, await signInByPassword(parts, call.body, client))
    }),
    handle(enterSecondFactor, async (call) => {
      const client = signInClient(config, call.request)
      return respondSignedIn(deps, call, await secondFactor.enterSecondFactor(parts, call.body, client))
    }),
    handle(getSignInWays, async () => {
      const party = relyingPartyOf(publicUrl(config))
      return {
        passkeys:
          typeof party === 'string'
            ? { origin: null, reason: party }
            : { origin: party.origin, reason: null },
        singleSignOn: deps.oidc === undefined ? null : { label: deps.oidc.label },
      }
    }),
    handle(beginPasskeySignIn, async () => passkeys.beginPasskeySignIn(parts, requirePasskeys(config))),
    handle(signInByPasskey, async (call) => {
      const client = signInClient(config, call.request)
      const party = requirePasskeys(config)
      return respondSignedIn(deps, call, await passkeys.signInByPasskey(parts, party, call.body, client))
    }),
    handle(getSignIn, async ({ principal }) => {
      const { signInId } = signedInOf(principal)
      const row = await signIns.findSignIn(db, signInId)
      // Ended on another server a moment ago.
      if (row === null) throw new ApiError('unauthorized')
      return serializeSignIn(db, row)
    }),
    handle(signOut, async ({ principal, setHeader }) => {
      const { userId, signInId } = signedInOf(principal)
      await end(userId, signInId)
      setHeader('set-cookie', signInCookie(config, null))
    }),
    handle(confirmSignIn, async ({ principal, body, request }) => {
      const { passkey: assertion, ...entered } = body
      const passkey = assertion && { assertion, party: requirePasskeys(config) }
      const row = await confirm(parts, signedInOf(principal), { ...entered, passkey }, addressBucket(request))
      keys.forget()
      return serializeSignIn(db, row)
    }),
    handle(listSignIns, async ({ principal }) => {
      const rows = await signIns.listSignIns(db, userOf(principal), new Date(clock.now()))
      return rows.map((row) => serializeSignInEntry(row, principal.keyId))
    }),
    handle(endSignIn, async ({ principal, params: { id } }) => {
      if (!(await end(userOf(principal), id)))
        throw new ApiError('not_found', { message: `You have no sign-in with id ${id}.` })
    }),
  ]
}
