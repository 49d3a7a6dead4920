import type { SignIn, SignInEntry } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import type { SignInRow } from '../../storage/accounts/sign-ins.ts'
import { findUser, listRoles } from '../../storage/accounts/users.ts'
import type { Db } from '../../storage/core/db.ts'

export async function serializeSignIn(db: Db, row: SignInRow): Promise<z.output<typeof SignIn>> {
  const [user, accounts] = await Promise.all([findUser(db, row.user_id), listRoles(db, row.user_id)])
  const { id, name, email } = orNotFound(user)
  return {
    id: row.id,
    user: { id, name, email },
    accounts,
    signedInAt: row.signed_in_at,
    confirmedAt: row.confirmed_at,
    expiresAt: row.expires_at,
  }
}

export function serializeSignInEntry(row: SignInRow, currentId: string): z.output<typeof SignInEntry> {
  return {
    id: row.id,
    userAgent: row.user_agent,
    address: row.address,
    signedInAt: row.signed_in_at,
    lastUsedAt: row.last_used_at,
    isCurrent: row.id === currentId,
  }
}
