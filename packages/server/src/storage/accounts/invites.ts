// Invites to accounts. The link of an invite is a row of one_time_links.
import { randomUUID } from 'node:crypto'
import type { Role } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { hashKey } from './api-keys.ts'
import { linkValidMs } from './one-time-links.ts'

export type InviteRow = Selectable<Tables['invites']>

interface NewInvite {
  accountId: string
  email: string
  role: Role
  inviterEmail: string
  token: string
  now: number
}

/** Replaces an earlier invite of the same address. */
export async function insertInvite(tx: Db, invite: NewInvite): Promise<InviteRow> {
  const [created_at, expires_at] = [new Date(invite.now), new Date(invite.now + linkValidMs)]
  await tx
    .deleteFrom('invites')
    .where('account_id', '=', invite.accountId)
    .where(sql`lower(email)`, '=', sql`lower(${invite.email}::text)`)
    .execute()
  const row = await tx
    .insertInto('invites')
    .values({
      id: randomUUID(),
      account_id: invite.accountId,
      email: invite.email,
      role: invite.role,
      inviter_email: invite.inviterEmail,
      created_at,
      expires_at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('one_time_links')
    .values({ hash: hashKey(invite.token), kind: 'invite', invite_id: row.id, created_at, expires_at })
    .execute()
  return row
}

export const { find: findInvite } = accountRows('invites')

export async function deleteInvite(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('invites')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function findInviteById(db: Db, id: string, now: number): Promise<InviteRow | null> {
  const row = await db
    .selectFrom('invites')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', new Date(now).toISOString())
    .executeTakeFirst()
  return row ?? null
}

export async function findInviteByToken(db: Db, token: string, now: number) {
  const row = await db
    .selectFrom('one_time_links as l')
    .innerJoin('invites as i', 'i.id', 'l.invite_id')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .select(['i.id', 'i.account_id', 'i.email', 'i.role', 'a.name as account_name'])
    .where('l.hash', '=', hashKey(token))
    .where('l.expires_at', '>', new Date(now).toISOString())
    .executeTakeFirst()
  return row ?? null
}
