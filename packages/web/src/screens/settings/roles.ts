// Roles that can be granted, and what they may do.
import type { ResponseTo } from '../../api/call.ts'

type Member = Extract<ResponseTo<'GET /v1/accounts/me/members'>['members'][number], { type: 'invite' }>
export type GrantableRole = Member['role']

export const grantableRoles = [
  'READ_ONLY',
  'READ_RUN',
  'READ_WRITE',
  'ADMIN',
] as const satisfies GrantableRole[]

export const roleDescriptions: Record<GrantableRole, string> = {
  READ_ONLY: 'sees everything, changes nothing',
  READ_RUN: 'also runs checks',
  READ_WRITE: 'also changes checks, alerts and pages',
  ADMIN: 'also manages members, keys and the account',
}
