// People change their email. With a mail server, the new address has to be confirmed by a link.
import { randomUUID } from 'node:crypto'
import { ApiError } from '@vedette/contracts'
import { orNotFound } from '../core/or-not-found.ts'
import { emailToken } from '../links/email-token.ts'
import { findUserByEmail } from '../storage/accounts/installation.ts'
import { deleteLinks, insertEmailLink, takeEmailLink } from '../storage/accounts/one-time-links.ts'
import { findUser, listRoles, lockUser, updateUser } from '../storage/accounts/users.ts'
import { insertMails } from '../storage/alerts/mails.ts'
import type { Db } from '../storage/core/db.ts'
import { mapUniqueViolation } from '../storage/core/map-unique-violation.ts'
import { clientOf } from '../storage/core/transaction.ts'

interface EmailChange {
  email: string
  pendingEmail: string | null
}

interface Request {
  userId: string
  email: string
  isMailed: boolean
}

export async function changeEmail(
  tx: Db,
  { userId, email, isMailed }: Request,
  { sign, now }: { sign: (text: string) => string; now: number },
): Promise<EmailChange> {
  await lockUser(tx, userId)
  const user = orNotFound(await findUser(tx, userId))
  if (email === user.email) return { email, pendingEmail: null }
  const [account] = await listRoles(tx, userId)
  if (!isMailed || account === undefined) {
    await replaceEmail(tx, userId, email)
    return { email, pendingEmail: null }
  }
  const mail = (kind: 'email_confirmation' | 'email_change_notice', recipient: string, facts: object) =>
    insertMails(clientOf(tx), [{ accountId: account.id, kind, recipient, facts }], now)
  const other = await findUserByEmail(tx, email)
  // The response must not show who else has a user here.
  if (other === null || other.id === userId) {
    // The mail is rendered later, and derives the token from this id. So the store never has the token.
    const linkId = randomUUID()
    await insertEmailLink(tx, { userId, email, token: emailToken(sign, linkId), now })
    await mail('email_confirmation', email, { linkId, oldEmail: user.email })
  }
  await mail('email_change_notice', user.email, { newEmail: email })
  return { email: user.email, pendingEmail: email }
}

export async function confirmEmail(
  tx: Db,
  { userId, token }: { userId: string; token: string },
  now: number,
): Promise<EmailChange> {
  await lockUser(tx, userId)
  const email = await takeEmailLink(tx, { userId, token, now })
  if (email === null) {
    throw new ApiError('not_found', {
      message:
        'This link was used or replaced, is older than 24 hours, or belongs to another user. Change your email again.',
    })
  }
  await replaceEmail(tx, userId, email)
  return { email, pendingEmail: null }
}

/** Links to reset the password were sent to the old address. */
async function replaceEmail(tx: Db, userId: string, email: string): Promise<void> {
  await mapUniqueViolation({ users_email: 'email' }, () => updateUser(tx, userId, { email }))
  await deleteLinks(tx, userId)
}
