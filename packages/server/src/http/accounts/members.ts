import {
  type AccountMember,
  type AccountMembers,
  deleteMember,
  deleteMyMember,
  getMyMember,
  invalidInput,
  listMembers,
  listMyMembers,
  type MembersQuery,
  type Role,
  updateMember,
  updateMyMember,
} from '@vedette/contracts'
import type { z } from 'zod'
import { changeMemberRole, removeMember } from '../../accounts/change-members.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as memberships from '../../storage/accounts/memberships.ts'
import { transact } from '../../storage/core/db.ts'
import { type AccountContext, authorizeAccount } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeInvite } from './serialize-invite.ts'

export function memberRoutes(deps: Deps): Mounted[] {
  return [
    handle(listMyMembers, async ({ account, query }) => list(deps, account.id, query)),
    handle(listMembers, async ({ principal, params, query }) => {
      return list(deps, authorizeAccount(principal, params.accountId).id, query)
    }),
    handle(getMyMember, async ({ account, params }) =>
      serializeMember(
        account.id,
        orNotFound(await memberships.findMember(deps.store.db, account.id, params.userId)),
      ),
    ),
    handle(updateMyMember, async ({ account, params, body }) =>
      change(deps, account, params.userId, body.role),
    ),
    handle(updateMember, async ({ principal, params, body }) => {
      return change(deps, authorizeAccount(principal, params.accountId, 'ADMIN'), params.userId, body.role)
    }),
    handle(deleteMyMember, async ({ account, params }) => remove(deps, account, params.userId)),
    handle(deleteMember, async ({ principal, params }) => {
      return remove(deps, authorizeAccount(principal, params.accountId, 'ADMIN'), params.userId)
    }),
  ]
}

async function list({ store, clock }: Deps, accountId: string, query: z.output<typeof MembersQuery>) {
  const { limit, nextId, ...filter } = query
  const page = {
    // One more than requested, to see whether there is a next page.
    limit: limit === undefined ? undefined : limit + 1,
    after: nextId === undefined ? undefined : readPosition(nextId),
  }
  const { items, total } = await memberships.listMembers(
    store.db,
    accountId,
    filter,
    page,
    new Date(clock.now()),
  )
  const shown = items.slice(0, limit)
  const last = items.length > shown.length ? shown.at(-1) : undefined
  return {
    members: shown.map((row) =>
      row.type === 'member'
        ? serializeMember(accountId, row)
        : serializeInvite(accountId, row, row.status === 'EXPIRED' ? 'EXPIRED' : 'PENDING'),
    ),
    length: total,
    nextId: last === undefined ? null : writePosition(last),
  } satisfies z.output<typeof AccountMembers>
}

async function change({ store, clock, keys }: Deps, account: AccountContext, userId: string, role: Role) {
  const member = await transact(store.db, (tx) =>
    changeMemberRole(tx, account, { userId, role }, clock.now()),
  )
  keys.forget()
  return serializeMember(account.id, member)
}

async function remove({ store, keys }: Deps, account: AccountContext, userId: string): Promise<void> {
  await transact(store.db, (tx) => removeMember(tx, account, userId))
  keys.forget()
}

function writePosition({ type, created_at, id }: memberships.MemberRow): string {
  return `${type}.${Date.parse(created_at)}.${id}`
}

function readPosition(text: string): memberships.MemberPosition {
  const [, type, time, id] =
    /^(member|invite)\.(\d{1,13})\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/.exec(text) ?? []
  if (id === undefined)
    throw invalidInput([{ path: ['nextId'], message: 'must be the nextId of a page before' }])
  return { type: type === 'invite' ? 'invite' : 'member', createdAt: new Date(Number(time)), id }
}

function serializeMember(accountId: string, row: memberships.MemberRow): z.output<typeof AccountMember> {
  return {
    type: 'member',
    accountId,
    userId: row.id,
    name: row.name,
    email: row.email,
    role: row.role,
    status: 'ACTIVE',
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    isSupportMembership: false,
    ssoEnabled: false,
    mfaEnabled: false,
  }
}
