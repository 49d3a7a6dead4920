import { ApiError, changeMyEmail, confirmMyEmail, getMe, updateMe } from '@vedette/contracts'
import { changeEmail, confirmEmail } from '../../accounts/change-email.ts'
import { updateUser } from '../../storage/accounts/users.ts'
import { transact } from '../../storage/core/db.ts'
import { userOf } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeCaller } from './serialize-caller.ts'

export function userRoutes({ store: { db }, clock, config, vault }: Deps): Mounted[] {
  return [
    handle(getMe, async ({ principal }) => serializeCaller(db, principal)),
    handle(updateMe, async ({ principal, body }) => {
      await updateUser(db, userOf(principal), { name: body.name })
      return serializeCaller(db, principal)
    }),
    handle(changeMyEmail, async ({ principal, body }) => {
      const userId = userOf(principal)
      if (principal.signIn === undefined)
        throw new ApiError('forbidden', {
          message: 'An API key can’t change the email of its user: sign in.',
        })
      const isMailed = config.SMTP_URL !== undefined
      // The identity provider joins people to the user who has their email, so nobody may claim one.
      if (!isMailed && config.OIDC_ISSUER !== undefined)
        throw new ApiError('conflict', {
          message:
            'Your new email can’t be confirmed: this server has no mail server. Ask the operator: npx vedette users set-email OLD NEW.',
        })
      const request = { userId, email: body.email, isMailed }
      return transact(db, (tx) => changeEmail(tx, request, { sign: vault.sign, now: clock.now() }))
    }),
    handle(confirmMyEmail, async ({ principal, body }) => {
      const request = { userId: userOf(principal), token: body.token }
      return transact(db, (tx) => confirmEmail(tx, request, clock.now()))
    }),
  ]
}
