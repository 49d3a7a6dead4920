import type { Role } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

/** A member of an account or an invite to it, as one list shows both. */
export interface MemberRow {
  type: 'member' | 'invite'
  /** Of the user, or of the invite. */
  id: string
  name: string | null
  email: string
  role: Role
  status: 'ACTIVE' | 'PENDING' | 'EXPIRED'
  inviter_email: string | null
  created_at: string
  updated_at: string
  expires_at: string | null
}

export interface MemberFilter {
  type?: string | undefined
  role?: string | undefined
  status?: string | undefined
  search?: string | undefined
}

/** The last entry of the previous page. */
export interface MemberPosition {
  type: 'member' | 'invite'
  createdAt: Date
  id: string
}

export interface MemberPage {
  limit?: number | undefined
  after?: MemberPosition | undefined
}

/** Members first, then invites, each by creation. */
export async function listMembers(
  db: Db,
  accountId: string,
  filter: MemberFilter,
  { limit, after }: MemberPage,
  now: Date,
): Promise<{ items: MemberRow[]; total: number }> {
  const all = membersAndInvites(accountId, filter, now)
  const start =
    after === undefined
      ? sql`true`
      : sql`(type = 'invite', created_at, id) > (${after.type === 'invite'}::boolean, ${after.createdAt}::timestamptz, ${after.id}::uuid)`
  const page = sql<MemberRow>`
    select * from (${all}) m where ${start} order by type = 'invite', created_at, id limit ${limit ?? null}`
  const [entries, count] = await Promise.all([
    page.execute(db),
    sql<{ total: number }>`select count(*) as total from (${all}) m`.execute(db),
  ])
  return { items: entries.rows, total: count.rows[0]?.total ?? 0 }
}

function membersAndInvites(accountId: string, { type, role, status, search }: MemberFilter, now: Date) {
  return sql`
    select * from (
      select 'member' as type, u.id, u.name, u.email, m.role, 'ACTIVE' as status, null::text as inviter_email,
        m.created_at, coalesce(m.updated_at, m.created_at) as updated_at, null::timestamptz as expires_at
      from memberships m
      join users u on u.id = m.user_id
      where m.account_id = ${accountId}
      union all
      select 'invite', i.id, null, i.email, i.role,
        case when i.expires_at <= ${now}::timestamptz then 'EXPIRED' else 'PENDING' end,
        i.inviter_email, i.created_at, coalesce(i.updated_at, i.created_at), i.expires_at
      from invites i
      where i.account_id = ${accountId}
    ) e
    where (${type ?? null}::text is null or type = ${type ?? null})
      and (${role ?? null}::text is null or role = ${role ?? null})
      and (${status ?? null}::text is null or status = ${status ?? null})
      and (${search ?? null}::text is null
        or strpos(lower(coalesce(name, '')), lower(${search ?? null})) > 0
        or strpos(lower(email), lower(${search ?? null})) > 0)`
}

export async function findMember(db: Db, accountId: string, userId: string): Promise<MemberRow | null> {
  const row = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.id', 'u.name', 'u.email', 'm.role', 'm.created_at', 'm.updated_at'])
    .where('m.account_id', '=', accountId)
    .where('m.user_id', '=', userId)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    ...row,
    type: 'member',
    role: row.role,
    status: 'ACTIVE',
    inviter_email: null,
    updated_at: row.updated_at ?? row.created_at,
    expires_at: null,
  }
}

export async function countOwners(db: Db, accountId: string): Promise<number> {
  const { total } = await db
    .selectFrom('memberships')
    .select(sql<number>`count(*)`.as('total'))
    .where('account_id', '=', accountId)
    .where('role', '=', 'OWNER')
    .executeTakeFirstOrThrow()
  return total
}

export async function updateMembership(
  db: Db,
  accountId: string,
  userId: string,
  role: Role,
  at: Date,
): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ role, updated_at: at })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMembership(db: Db, accountId: string, userId: string): Promise<void> {
  await db
    .deleteFrom('memberships')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute()
}
