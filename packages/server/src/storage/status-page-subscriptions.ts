import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type StatusPageSubscriptionRow = Selectable<Tables['status_page_subscriptions']>

export async function listStatusPageSubscriptions(
  db: Db,
  accountId: string,
  pageId: string,
): Promise<StatusPageSubscriptionRow[]> {
  return db
    .selectFrom('status_page_subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .orderBy('created_at')
    .orderBy('address')
    .execute()
}

/** Returns how many were new: an address subscribes to a page once, whatever its case. */
export async function insertStatusPageSubscriptions(
  tx: Db,
  accountId: string,
  pageId: string,
  subscriptions: { type: string; address: string }[],
): Promise<number> {
  const rows = subscriptions.map(({ type, address }) => ({
    id: randomUUID(),
    account_id: accountId,
    status_page_id: pageId,
    type,
    address,
    status: 'PENDING',
  }))
  const inserted = await tx
    .insertInto('status_page_subscriptions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return inserted.length
}

export async function deleteStatusPageSubscription(
  db: Db,
  accountId: string,
  pageId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('status_page_subscriptions')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
