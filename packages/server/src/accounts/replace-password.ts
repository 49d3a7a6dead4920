import { deleteLinks } from '../storage/accounts/one-time-links.ts'
import { putPasswordHash } from '../storage/accounts/passwords.ts'
import { deleteSignIns } from '../storage/accounts/sign-ins.ts'
import type { Db } from '../storage/core/db.ts'

/** Ends the other sign-ins and the links of the user: whoever knew the old password is signed out. */
export async function replacePassword(
  tx: Db,
  change: { userId: string; hash: string; keptSignInId: string | null; now: number },
): Promise<void> {
  await putPasswordHash(tx, change.userId, change.hash, new Date(change.now))
  await deleteSignIns(tx, change.userId, change.keptSignInId)
  await deleteLinks(tx, change.userId)
}
