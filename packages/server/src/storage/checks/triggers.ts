// Secret URLs that run checks: one trigger per check or group.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Page } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Vault } from '../core/vault.ts'

type TriggerTarget = { checkId: string } | { groupId: number }

export type TriggerRow = Omit<Selectable<Tables['triggers']>, 'token'> & { token: string }

/** Keeps an existing one; null if the account doesn't have this check or group. */
export async function insertTrigger(
  db: Db,
  vault: Vault,
  accountId: string,
  target: TriggerTarget,
): Promise<TriggerRow | null> {
  const token = JSON.stringify(vault.seal(accountId, makeToken()))
  const [table, column, id] =
    'checkId' in target
      ? ['checks', 'check_id', target.checkId]
      : ['check_groups', 'group_id', target.groupId]
  // Locks its target in the same statement: a check that is being deleted gets no trigger.
  await sql`
    insert into triggers (account_id, ${sql.ref(column)}, token)
    select account_id, id, ${token}::jsonb from ${sql.table(table)}
    where account_id = ${accountId} and id = ${id}
    for key share
    on conflict do nothing`.execute(db)
  return findTrigger(db, vault, accountId, target)
}

export async function findTrigger(
  db: Db,
  vault: Vault,
  accountId: string,
  target: TriggerTarget,
): Promise<TriggerRow | null> {
  const all = db.selectFrom('triggers').selectAll().where('account_id', '=', accountId)
  const row = await ('checkId' in target
    ? all.where('check_id', '=', target.checkId)
    : all.where('group_id', '=', target.groupId)
  ).executeTakeFirst()
  if (row === undefined) return null
  return { ...row, token: vault.unseal(accountId, row.token) }
}

export interface NamedTriggerRow extends TriggerRow {
  name: string
}

/** With the names of their checks and groups; the latest first. */
export async function listTriggers(
  db: Db,
  vault: Vault,
  accountId: string,
  page: PageRequest,
): Promise<Page<NamedTriggerRow>> {
  const all = db.selectFrom('triggers as t').where('t.account_id', '=', accountId)
  const entries = all
    .leftJoin('checks as c', 'c.id', 't.check_id')
    .leftJoin('check_groups as g', 'g.id', 't.group_id')
    .selectAll('t')
    .select(sql<string>`coalesce(c.name, g.name, '')`.as('name'))
    .orderBy('t.created_at', 'desc')
    .orderBy('t.id')
  const { items, total } = await pageOf(entries, all.select(countAll), page)
  return { items: items.map((row) => ({ ...row, token: vault.unseal(accountId, row.token) })), total }
}

/**
 * The token alone authorizes the call, without an account. It's compared in constant time, and all errors look the same.
 */
export async function findCalledTrigger(
  db: Db,
  vault: Vault,
  target: TriggerTarget,
  token: string,
): Promise<TriggerRow | null> {
  const all = db.selectFrom('triggers').selectAll()
  const row = await ('checkId' in target
    ? all.where('check_id', '=', target.checkId)
    : all.where('group_id', '=', target.groupId)
  ).executeTakeFirst()
  if (row === undefined) return null
  const expected = vault.unseal(row.account_id, row.token)
  return timingSafeEqual(digest(expected), digest(token)) ? { ...row, token: expected } : null
}

/** timingSafeEqual needs equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export async function markCalled(db: Db, { id, account_id }: TriggerRow, calledAt: Date): Promise<void> {
  await db
    .updateTable('triggers')
    .set({ called_at: calledAt })
    .where('account_id', '=', account_id)
    .where('id', '=', id)
    .execute()
}

export async function deleteTrigger(db: Db, accountId: string, target: TriggerTarget): Promise<boolean> {
  const all = db.deleteFrom('triggers').where('account_id', '=', accountId)
  const { numDeletedRows } = await ('checkId' in target
    ? all.where('check_id', '=', target.checkId)
    : all.where('group_id', '=', target.groupId)
  ).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Nine random bytes: twelve characters that need no escaping in a URL. */
function makeToken(): string {
  return randomBytes(9).toString('base64url')
}
