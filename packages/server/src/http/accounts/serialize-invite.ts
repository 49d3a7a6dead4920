import { type AccountInvite, GrantableRole, type Role } from '@vedette/contracts'
import type { z } from 'zod'

interface InviteToShow {
  id: string
  email: string
  role: Role
  inviter_email: string | null
  created_at: string
  updated_at: string | null
  expires_at: string | null
}

export function serializeInvite(
  accountId: string,
  row: InviteToShow,
  status: 'PENDING' | 'EXPIRED',
): z.output<typeof AccountInvite> {
  return {
    type: 'invite',
    id: row.id,
    accountId,
    email: row.email,
    role: GrantableRole.parse(row.role),
    status,
    inviterEmail: row.inviter_email ?? '',
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.created_at,
    expiresAt: row.expires_at ?? row.created_at,
  }
}
