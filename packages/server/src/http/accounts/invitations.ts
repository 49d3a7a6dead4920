import {
  ApiError,
  acceptInvitation,
  createMyInvite,
  deleteMyInvite,
  getInvitation,
  getMyInvite,
} from '@vedette/contracts'
import * as invitations from '../../accounts/invite-members.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { publicUrl } from '../../core/public-url.ts'
import { deleteInvite, findInvite } from '../../storage/accounts/invites.ts'
import { findUser } from '../../storage/accounts/users.ts'
import { transact } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeInvite } from './serialize-invite.ts'
import { respondStarted, signInClient, signInParts } from './signed-in.ts'

export function invitationRoutes(deps: Deps): Mounted[] {
  const { clock, config, vault } = deps
  const { db } = deps.store
  const parts = signInParts(deps)
  return [
    handle(createMyInvite, async ({ account, principal, body }) => {
      const inviter = principal.userId === null ? null : await findUser(db, principal.userId)
      const isMailed = config.SMTP_URL !== undefined
      const request = { ...body, accountId: account.id, inviterEmail: inviter?.email ?? '', isMailed }
      const { row, token } = await transact(db, (tx) =>
        invitations.inviteMember(tx, request, { sign: vault.sign, now: clock.now() }),
      )
      const link = isMailed ? null : `${publicUrl(config)}/invite#${token}`
      return { ...serializeInvite(account.id, row, 'PENDING'), link }
    }),
    handle(getMyInvite, async ({ account, params }) => {
      const row = orNotFound(await findInvite(db, account.id, params.id))
      const isExpired = Date.parse(row.expires_at) <= clock.now()
      return serializeInvite(account.id, row, isExpired ? 'EXPIRED' : 'PENDING')
    }),
    handle(deleteMyInvite, async ({ account, params }) => {
      if (!(await deleteInvite(db, account.id, params.id))) throw new ApiError('not_found')
    }),
    handle(getInvitation, async ({ params }) => {
      const { invite, user } = await invitations.readInvitation(parts, params.token)
      const { email, role, account_name: accountName } = invite
      return { email, role, accountName, isNewUser: user === null }
    }),
    handle(acceptInvitation, async (call) => {
      const input = { ...call.body, token: call.params.token }
      const client = signInClient(config, call.request)
      return respondStarted(deps, call, await invitations.acceptInvitation(parts, input, client))
    }),
  ]
}
