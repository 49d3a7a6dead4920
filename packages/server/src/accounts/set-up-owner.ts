// The owner opens the printed link, and chooses name, email and password.
import { ApiError } from '@vedette/contracts'
import { findLinkUser, takeLink } from '../storage/accounts/one-time-links.ts'
import { updateUser } from '../storage/accounts/users.ts'
import { transact } from '../storage/core/db.ts'
import { mapUniqueViolation } from '../storage/core/map-unique-violation.ts'
import { replacePassword } from './replace-password.ts'
import { type SignInClient, type SignInParts, type SignInStart, startSignIn } from './sign-in.ts'

interface Owner {
  token: string
  name: string
  email: string
  password: string
}

export async function setUpOwner(
  { db, clock, passwords }: SignInParts,
  { token, name, email, password }: Owner,
  client: SignInClient,
): Promise<SignInStart> {
  const link = { kind: 'setup' as const, token, now: clock.now() }
  // Without a valid link nothing is hashed.
  if ((await findLinkUser(db, link)) === null) throw usedLink()
  const hash = await passwords.hash(password)
  return transact(db, async (tx) => {
    const userId = await takeLink(tx, link)
    if (userId === null) throw usedLink()
    await mapUniqueViolation({ users_email: 'email' }, () => updateUser(tx, userId, { name, email }))
    await replacePassword(tx, { userId, hash, keptSignInId: null, now: clock.now() })
    return startSignIn(tx, userId, client, clock.now())
  })
}

function usedLink(): ApiError {
  return new ApiError('not_found', {
    message:
      'This link was used, is older than 24 hours, or was replaced by a newer one. Print another one: npx vedette setup-link',
  })
}
