// Invites people to an account, and makes them members.
import { randomUUID } from 'node:crypto'
import { ApiError, type Role } from '@vedette/contracts'
import { inviteToken } from '../links/invite-token.ts'
import { lockAccount } from '../storage/accounts/accounts.ts'
import { findRole, findUserByEmail } from '../storage/accounts/installation.ts'
import { deleteInvite, findInviteByToken, type InviteRow, insertInvite } from '../storage/accounts/invites.ts'
import { findPasswordHash, isCurrentHash, putPasswordHash } from '../storage/accounts/passwords.ts'
import { insertMembership, insertUser, type UserRow } from '../storage/accounts/users.ts'
import { insertMails } from '../storage/alerts/mails.ts'
import { type Db, transact } from '../storage/core/db.ts'
import { mapUniqueViolation } from '../storage/core/map-unique-violation.ts'
import { clientOf } from '../storage/core/transaction.ts'
import {
  requirePassword,
  type SignInClient,
  type SignInParts,
  type SignInStart,
  startSignIn,
} from './sign-in.ts'

interface InviteRequest {
  accountId: string
  email: string
  role: Role
  /** Empty: a service key invites. */
  inviterEmail: string
  isMailed: boolean
}

export interface NewInvite {
  row: InviteRow
  token: string
}

export async function inviteMember(
  tx: Db,
  { isMailed, ...request }: InviteRequest,
  { sign, now }: { sign: (text: string) => string; now: number },
): Promise<NewInvite> {
  // Two invites of one address must not both stay.
  const account = await lockAccount(tx, request.accountId)
  const user = await findUserByEmail(tx, request.email)
  if (user !== null && (await findRole(tx, request.accountId, user.id)) !== null) {
    const attributes = { email: 'is a member already' }
    throw new ApiError('conflict', { message: '"email" is a member already.', attributes })
  }
  // The mail is rendered later, and derives the token from this id. So the store never has the token.
  const linkId = randomUUID()
  const token = inviteToken(sign, linkId)
  const row = await insertInvite(tx, { ...request, token, now })
  if (isMailed) {
    const { accountId, email: recipient, role, inviterEmail: inviter } = request
    const facts = { linkId, account: account?.name ?? '', role, inviter }
    await insertMails(clientOf(tx), [{ accountId, kind: 'invitation', recipient, facts }], now)
  }
  return { row, token }
}

export async function readInvitation({ db, clock }: Pick<SignInParts, 'db' | 'clock'>, token: string) {
  const invite = await findInviteByToken(db, token, clock.now())
  if (invite === null) throw usedLink()
  return { invite, user: await findUserByEmail(db, invite.email) }
}

/** An admin may have passed on the link, so it doesn't prove who opens it: an existing user needs their own password. */
export async function acceptInvitation(
  parts: SignInParts,
  { token, name, password }: { token: string; name: string; password: string },
  client: SignInClient,
): Promise<SignInStart> {
  const { db, clock, passwords } = parts
  const { invite, user } = await readInvitation(parts, token)
  const hash =
    user === null
      ? await passwords.hash(password)
      : await requireOwnPassword(parts, user, { password, bucket: client.bucket })
  return transact(db, async (tx) => {
    // Of two requests with one link, the second finds no invite.
    if (!(await deleteInvite(tx, invite.account_id, invite.id))) throw usedLink()
    const userId = user?.id ?? (await createUser(tx, { name, email: invite.email, hash }, clock.now()))
    if (!(await isCurrentHash(tx, userId, hash))) throw usedLink()
    if ((await findRole(tx, invite.account_id, userId)) === null)
      await insertMembership(tx, { account_id: invite.account_id, user_id: userId, role: invite.role })
    return startSignIn(tx, userId, client, clock.now())
  })
}

async function requireOwnPassword(
  parts: SignInParts,
  user: UserRow,
  entered: { password: string; bucket: string },
): Promise<string> {
  if ((await findPasswordHash(parts.db, user.id)) !== null)
    return requirePassword(parts, user, { ...entered, field: 'password' })
  throw new ApiError('conflict', {
    message:
      'There is a user with this email who has no password yet. Ask the operator for a link to choose one (npx vedette users ' +
      'reset EMAIL), then open the invitation again.',
  })
}

async function createUser(
  tx: Db,
  { name, email, hash }: { name: string; email: string; hash: string },
  now: number,
): Promise<string> {
  const { id } = await mapUniqueViolation({ users_email: 'email' }, () =>
    insertUser(tx, { id: randomUUID(), name, email }),
  )
  await putPasswordHash(tx, id, hash, new Date(now))
  return id
}

function usedLink(): ApiError {
  return new ApiError('not_found', {
    message: 'This invitation was used or withdrawn, or is older than 24 hours. Ask for another one.',
  })
}
