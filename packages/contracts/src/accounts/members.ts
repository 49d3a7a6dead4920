// Members of an account, and invites to it.
import { z } from 'zod'
import { EmailRead, Timestamp, Uuid } from '../core/fields.ts'
import { Role } from '../core/roles.ts'
import { route } from '../core/route.ts'
import { AccountInPath } from './accounts.ts'

/** Ownership can't be granted as a role. */
export const GrantableRole = Role.exclude(['OWNER'])

export const AccountMember = z
  .object({
    type: z.literal('member'),
    accountId: Uuid,
    userId: Uuid,
    name: z.string().nullable(),
    email: EmailRead,
    role: Role,
    status: z.literal('ACTIVE'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    isSupportMembership: z.boolean(),
    ssoEnabled: z.boolean(),
    mfaEnabled: z.boolean(),
  })
  .meta({ id: 'AccountMember' })

export const AccountInvite = z
  .object({
    type: z.literal('invite'),
    id: Uuid,
    accountId: Uuid,
    email: EmailRead,
    role: GrantableRole,
    status: z.enum(['PENDING', 'EXPIRED']),
    inviterEmail: EmailRead,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'AccountInvite' })

export const AccountMembers = z
  .object({
    members: z.array(z.discriminatedUnion('type', [AccountMember, AccountInvite])),
    length: z.int().min(0).describe('The number of entries on all pages'),
    nextId: z.string().nullable().describe('Where the next page begins; null at the end'),
  })
  .meta({ id: 'AccountMembers' })

export const MembersQuery = z.object({
  limit: z.int().min(1).max(100).optional().describe('Entries per page; all of them when absent'),
  nextId: z.string().max(200).optional().describe('The nextId of the previous page'),
  search: z.string().max(200).optional().describe('Part of a name or email address'),
  type: z.enum(['member', 'invite']).optional(),
  role: Role.optional(),
  status: z.enum(['ACTIVE', 'PENDING', 'EXPIRED']).optional(),
})

export const MemberUpdate = z.object({ role: GrantableRole }).meta({ id: 'AccountMemberUpdate' })

const tag = 'Accounts'
const memberOfMine = z.object({ userId: Uuid })
const memberInPath = AccountInPath.extend({ userId: Uuid })
const needsAdmin = 'Requires ADMIN or higher in that account.'
const ownersOnly = 'Only an owner can change or remove an owner, and the last one stays.'
const example = { role: 'READ_WRITE' }

export const listMyMembers = route({
  method: 'GET',
  path: '/v1/accounts/me/members',
  tag,
  summary: 'List members and invites of the chosen account',
  access: 'READ_ONLY',
  query: MembersQuery,
  status: 200,
  response: AccountMembers,
})

export const listMembers = route({
  method: 'GET',
  path: '/v1/accounts/{accountId}/members',
  tag,
  summary: 'List members and invites of an account',
  access: 'key',
  params: AccountInPath,
  query: MembersQuery,
  status: 200,
  response: AccountMembers,
})

export const getMyMember = route({
  method: 'GET',
  path: '/v1/accounts/me/members/{userId}',
  tag,
  summary: 'Read a member of the chosen account',
  access: 'READ_ONLY',
  params: memberOfMine,
  status: 200,
  response: AccountMember,
})

export const updateMyMember = route({
  method: 'PATCH',
  path: '/v1/accounts/me/members/{userId}',
  tag,
  summary: 'Change the role of a member of the chosen account',
  description: ownersOnly,
  access: 'ADMIN',
  params: memberOfMine,
  body: MemberUpdate,
  needsConfirmation: true,
  status: 200,
  response: AccountMember,
  errors: [409],
  example,
})

export const updateMember = route({
  method: 'PATCH',
  path: '/v1/accounts/{accountId}/members/{userId}',
  tag,
  summary: 'Change the role of a member',
  description: `${needsAdmin} ${ownersOnly}`,
  access: 'key',
  params: memberInPath,
  body: MemberUpdate,
  needsConfirmation: true,
  status: 200,
  response: AccountMember,
  errors: [409],
  example,
})

export const deleteMyMember = route({
  method: 'DELETE',
  path: '/v1/accounts/me/members/{userId}',
  tag,
  summary: 'Remove a member from the chosen account',
  description: ownersOnly,
  access: 'ADMIN',
  params: memberOfMine,
  needsConfirmation: true,
  status: 204,
  errors: [409],
})

export const deleteMember = route({
  method: 'DELETE',
  path: '/v1/accounts/{accountId}/members/{userId}',
  tag,
  summary: 'Remove a member from an account',
  description: `${needsAdmin} ${ownersOnly}`,
  access: 'key',
  params: memberInPath,
  needsConfirmation: true,
  status: 204,
  errors: [409],
})
