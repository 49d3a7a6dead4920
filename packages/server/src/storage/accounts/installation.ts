// Queries of the operator across all accounts. Queries by account are in accounts.ts, users.ts and api-keys.ts.
import { randomUUID } from 'node:crypto'
import type { Role } from '@vedette/contracts'
import { sql } from 'kysely'
import { countAll, type Db } from '../core/db.ts'
import { clientOf } from '../core/transaction.ts'
import { examineBlobsOfAccount } from '../results/blobs.ts'
import { deleteHistoryOfAccount } from '../results/delete-history.ts'
import { insertUser, type UserRow } from './users.ts'

export async function countAccounts(db: Db): Promise<number> {
  return (await db.selectFrom('accounts').select(countAll).executeTakeFirstOrThrow()).total
}

export async function listAllAccounts(db: Db) {
  return db
    .selectFrom('accounts')
    .select(['id', 'name', 'plan', 'created_at'])
    .select((eb) => [
      eb.selectFrom('memberships').whereRef('account_id', '=', 'accounts.id').select(countAll).as('members'),
      eb.selectFrom('checks').whereRef('account_id', '=', 'accounts.id').select(countAll).as('checks'),
    ])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function deleteAccount(db: Db, id: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // Deleting an account with years of data takes long.
    await sql`set local statement_timeout = 0`.execute(tx)
    await examineBlobsOfAccount(clientOf(tx), id)
    const { numDeletedRows } = await tx.deleteFrom('accounts').where('id', '=', id).executeTakeFirst()
    await deleteHistoryOfAccount(clientOf(tx), id)
    return numDeletedRows > 0n
  })
}

export async function listAllUsers(db: Db) {
  const users = await db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id').execute()
  const memberships = await db
    .selectFrom('memberships')
    .innerJoin('accounts', 'accounts.id', 'memberships.account_id')
    .select(['memberships.user_id', 'memberships.role', 'accounts.id', 'accounts.name'])
    .orderBy('accounts.created_at')
    .execute()
  return users.map((user) => ({
    ...user,
    memberships: memberships.filter(({ user_id }) => user_id === user.id),
  }))
}

/** Addresses are compared without regard to case. */
export async function findUserByEmail(db: Db, email: string): Promise<UserRow | null> {
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where(sql`lower(email)`, '=', sql`lower(${email}::text)`)
    .executeTakeFirst()
  return row ?? null
}

export async function findOrInsertUser(db: Db, email: string, name: string | null): Promise<UserRow> {
  return (await findUserByEmail(db, email)) ?? insertUser(db, { id: randomUUID(), email, name })
}

export async function findRole(db: Db, accountId: string, userId: string): Promise<Role | null> {
  const row = await db
    .selectFrom('memberships')
    .select('role')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role ?? null
}

/** Locked, so that two owners can't demote each other at the same time. */
export async function listOwnersForUpdate(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'OWNER')
    .orderBy('user_id')
    .forUpdate()
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export async function findFirstOwner(db: Db, accountId: string): Promise<UserRow | null> {
  const row = await db
    .selectFrom('users')
    .innerJoin('memberships', 'memberships.user_id', 'users.id')
    .selectAll('users')
    .where('memberships.account_id', '=', accountId)
    .where('memberships.role', '=', 'OWNER')
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export async function putMembership(db: Db, accountId: string, userId: string, role: Role): Promise<void> {
  await db
    .insertInto('memberships')
    .values({ account_id: accountId, user_id: userId, role })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'user_id']).doUpdateSet({ role, updated_at: new Date() }),
    )
    .execute()
}

export async function deleteMembership(db: Db, accountId: string, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('memberships')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Of one account: its service keys, and the keys of its members. */
export async function listAllKeys(db: Db, accountId?: string) {
  let keys = db
    .selectFrom('api_keys')
    .leftJoin('users', 'users.id', 'api_keys.user_id')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.masked_key', 'api_keys.account_id', 'api_keys.role'])
    .select(['users.email', 'api_keys.created_at', 'api_keys.last_used_at'])
  if (accountId !== undefined) {
    keys = keys.where((eb) =>
      eb.or([
        eb('api_keys.account_id', '=', accountId),
        eb(
          'api_keys.user_id',
          'in',
          eb.selectFrom('memberships').select('user_id').where('account_id', '=', accountId),
        ),
      ]),
    )
  }
  return keys.orderBy('api_keys.created_at').orderBy('api_keys.id').execute()
}

export async function deleteAnyKey(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('api_keys').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
