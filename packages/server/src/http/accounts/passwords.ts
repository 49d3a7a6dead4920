import { changePassword, requestPasswordReset, resetPassword } from '@vedette/contracts'
import * as passwords from '../../accounts/change-password.ts'
import { limitResetRequests } from '../../accounts/sign-in-attempts.ts'
import { addressBucket } from '../../core/address-bucket.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { respondStarted, signInClient, signInParts } from './signed-in.ts'

export function passwordRoutes(deps: Deps): Mounted[] {
  const { clock, config, keys, log, vault } = deps
  const { db } = deps.store
  const parts = signInParts(deps)
  return [
    handle(changePassword, async ({ principal, body, request }) => {
      await passwords.changePassword(parts, {
        ...body,
        userId: userOf(principal),
        signInId: principal.signIn === undefined ? null : principal.keyId,
        bucket: addressBucket(request),
      })
      keys.forget()
    }),
    handle(requestPasswordReset, async ({ body: { email }, request }) => {
      await limitResetRequests(db, { bucket: addressBucket(request), email }, clock.now())
      if (config.SMTP_URL === undefined) return
      // After the response: the time until it must not show whether there is such a user.
      void passwords
        .mailResetLink({ db, clock, sign: vault.sign }, email)
        .catch((err: Error) => log.error({ err }, 'password-reset.failed'))
    }),
    handle(resetPassword, async (call) => {
      const input = { token: call.params.token, password: call.body.password }
      const client = signInClient(config, call.request)
      return respondStarted(deps, call, await passwords.resetPassword(parts, input, client))
    }),
  ]
}
