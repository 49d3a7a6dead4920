// Changes roles of members and removes members, in the transaction of the caller.
import { ApiError, type Role } from '@vedette/contracts'
import { orNotFound } from '../core/or-not-found.ts'
import { lockAccount } from '../storage/accounts/accounts.ts'
import * as memberships from '../storage/accounts/memberships.ts'
import type { Db } from '../storage/core/db.ts'

/** The account, and the role of the caller in it. */
interface Actor {
  id: string
  role: Role
}

export async function changeMemberRole(
  tx: Db,
  account: Actor,
  { userId, role }: { userId: string; role: Role },
  now: number,
): Promise<memberships.MemberRow> {
  await requireReplaceable(tx, account, userId)
  await memberships.updateMembership(tx, account.id, userId, role, new Date(now))
  return orNotFound(await memberships.findMember(tx, account.id, userId))
}

export async function removeMember(tx: Db, account: Actor, userId: string): Promise<void> {
  await requireReplaceable(tx, account, userId)
  await memberships.deleteMembership(tx, account.id, userId)
}

/** An account keeps at least one owner, and only owners change owners. */
async function requireReplaceable(tx: Db, account: Actor, userId: string): Promise<void> {
  // Two owners who remove each other at the same time must not both succeed.
  await lockAccount(tx, account.id)
  const member = orNotFound(await memberships.findMember(tx, account.id, userId))
  if (member.role !== 'OWNER') return
  if (account.role !== 'OWNER') {
    throw new ApiError('forbidden', { message: 'Only an owner can change or remove an owner.' })
  }
  if ((await memberships.countOwners(tx, account.id)) === 1) {
    throw new ApiError('conflict', { message: 'This is the last owner of the account.' })
  }
}
