import { deleteLinks } from '../storage/accounts/one-time-links.ts'
import { putPasswordHash } from '../storage/accounts/passwords.ts'
import { deleteChallenges } from '../storage/accounts/sign-in-challenges.ts'
import { deleteSignIns } from '../storage/accounts/sign-ins.ts'
import type { Db } from '../storage/core/db.ts'

/** Ends the other sign-ins, those under way, and the links of the user: people who knew the old password are signed out. */
export async function replacePassword(
  tx: Db,
  change: { userId: string; hash: string; keptSignInId: string | null; now: number },
): Promise<void> {
  await putPasswordHash(tx, change.userId, change.hash, new Date(change.now))
  await deleteSignIns(tx, change.userId, change.keptSignInId)
  await deleteLinks(tx, change.userId)
  await deleteChallenges(tx, change.userId)
}
