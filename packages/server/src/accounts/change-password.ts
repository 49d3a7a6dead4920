// People change their password, or choose a new one by a link. Hashing takes long, so it happens outside of the transactions.
import { randomUUID } from 'node:crypto'
import { ApiError, invalidInput } from '@vedette/contracts'
import { resetToken } from '../links/reset-token.ts'
import { findUserByEmail } from '../storage/accounts/installation.ts'
import {
  countResetLinks,
  findLinkUser,
  insertOneTimeLink,
  takeLink,
} from '../storage/accounts/one-time-links.ts'
import { isCurrentHash } from '../storage/accounts/passwords.ts'
import { findUser, listRoles, lockUser } from '../storage/accounts/users.ts'
import { insertMails } from '../storage/alerts/mails.ts'
import { transact } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import { replacePassword } from './replace-password.ts'
import {
  requirePassword,
  type SignInClient,
  type SignInParts,
  type SignInStart,
  startSignIn,
} from './sign-in.ts'

interface Change {
  userId: string
  /** Of the request; the others end. */
  signInId: string | null
  currentPassword: string
  newPassword: string
  bucket: string
}

export async function changePassword(parts: SignInParts, change: Change): Promise<void> {
  const { db, clock, passwords } = parts
  const { userId, currentPassword, newPassword, bucket } = change
  const user = await findUser(db, userId)
  if (user === null) throw new ApiError('unauthorized')
  const entered = { password: currentPassword, bucket, field: 'currentPassword' }
  const current = await requirePassword(parts, user, entered)
  const hash = await passwords.hash(newPassword)
  await transact(db, async (tx) => {
    if (!(await isCurrentHash(tx, userId, current)))
      throw invalidInput([{ path: ['currentPassword'], message: 'is wrong' }])
    await replacePassword(tx, { userId, hash, keptSignInId: change.signInId, now: clock.now() })
  })
}

/** More links of a user aren't sent: the earlier ones have reached the same mailbox. */
const mostResetLinks = 5

/** Sends a link to the user with this address, if there is one. */
export async function mailResetLink(
  { db, clock, sign }: Pick<SignInParts, 'db' | 'clock'> & { sign: (text: string) => string },
  email: string,
): Promise<void> {
  const now = clock.now()
  const user = await findUserByEmail(db, email)
  const [account] = user === null ? [] : await listRoles(db, user.id)
  if (user === null || account === undefined) return
  await transact(db, async (tx) => {
    // Parallel requests count one after another.
    await lockUser(tx, user.id)
    if ((await countResetLinks(tx, user.id, now)) >= mostResetLinks) return
    // The mail is rendered later, and derives the token from this id. So the store never has the token.
    const linkId = randomUUID()
    await insertOneTimeLink(tx, { kind: 'reset', userId: user.id, now }, resetToken(sign, linkId))
    const facts = { linkId }
    await insertMails(
      clientOf(tx),
      [{ accountId: account.id, kind: 'password_reset', recipient: user.email, facts }],
      now,
    )
  })
}

export async function resetPassword(
  { db, clock, passwords }: SignInParts,
  { token, password }: { token: string; password: string },
  client: SignInClient,
): Promise<SignInStart> {
  const link = { kind: 'reset' as const, token, now: clock.now() }
  // Without a valid link nothing is hashed.
  if ((await findLinkUser(db, link)) === null) throw usedLink()
  const hash = await passwords.hash(password)
  return transact(db, async (tx) => {
    const userId = await takeLink(tx, link)
    if (userId === null) throw usedLink()
    await replacePassword(tx, { userId, hash, keptSignInId: null, now: clock.now() })
    return startSignIn(tx, userId, client, clock.now())
  })
}

function usedLink(): ApiError {
  return new ApiError('not_found', {
    message: 'This link was used or is older than 24 hours. Request another one.',
  })
}
