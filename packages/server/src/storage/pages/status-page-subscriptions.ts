import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

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

/** Returns the new ones: an address subscribes to a page once, whatever its case. */
export async function insertStatusPageSubscriptions(
  tx: Db,
  accountId: string,
  pageId: string,
  subscriptions: { type: string; address: string; service_ids?: string[] | null }[],
): Promise<StatusPageSubscriptionRow[]> {
  const rows = subscriptions.map((subscription) => ({
    ...subscription,
    id: randomUUID(),
    account_id: accountId,
    status_page_id: pageId,
    status: 'PENDING',
  }))
  return tx
    .insertInto('status_page_subscriptions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/** Locked until the transaction ends. */
export async function lockSubscriptionOfAddress(
  tx: Db,
  accountId: string,
  pageId: string,
  address: string,
): Promise<StatusPageSubscriptionRow | null> {
  const row = await tx
    .selectFrom('status_page_subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .where(sql`lower(address)`, '=', sql`lower(${address})`)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
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

export type ReaderRow = StatusPageSubscriptionRow & { page_name: string; is_private: boolean }

// The functions below are for signed links to one subscription. The id comes from the link, so there is no account.

export async function findSubscriptionOfLink(db: Db, id: string): Promise<ReaderRow | null> {
  const row = await db
    .selectFrom('status_page_subscriptions as reader')
    .innerJoin('status_pages as page', 'page.id', 'reader.status_page_id')
    .selectAll('reader')
    .select(['page.name as page_name', 'page.is_private'])
    .where('reader.id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** The services that a mail asked to confirm. Null: the mail isn't stored any more. */
export async function findMailedChoice(
  db: Db,
  id: string,
  mailId: string,
): Promise<{ service_ids: string[] | null } | null> {
  const { rows } = await sql<{ service_ids: string[] | null }>`
    select (select array_agg(chosen ->> 'id') from jsonb_array_elements(nullif(facts -> 'chosen', 'null')) chosen)
      as service_ids
    from mails where id = ${mailId} and subscription_id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** `choice`: the services that the mail asked to confirm. Changes nothing if the subscription is confirmed already. */
export async function verifySubscription(
  db: Db,
  id: string,
  choice: { service_ids: string[] | null } | null,
  now: Date,
): Promise<void> {
  await db
    .updateTable('status_page_subscriptions')
    .set({ ...choice, status: 'VERIFIED', updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .execute()
}

export async function chooseSubscribedServices(
  db: Db,
  id: string,
  serviceIds: string[] | null,
  now: Date,
): Promise<void> {
  await db
    .updateTable('status_page_subscriptions')
    .set({ service_ids: serviceIds, updated_at: now })
    .where('id', '=', id)
    .execute()
}

export async function deleteSubscriptionOfLink(db: Db, id: string): Promise<void> {
  await db.deleteFrom('status_page_subscriptions').where('id', '=', id).execute()
}

export type RemovedSubscription = Pick<
  StatusPageSubscriptionRow,
  'id' | 'account_id' | 'status_page_id' | 'type' | 'address' | 'status' | 'service_ids'
>

/** With its old id, so that the links in earlier mails work again. False: the page was deleted. */
export async function restoreSubscription(tx: Db, removed: RemovedSubscription): Promise<boolean> {
  const page = await tx
    .selectFrom('status_pages')
    .select('id')
    .where('account_id', '=', removed.account_id)
    .where('id', '=', removed.status_page_id)
    .forKeyShare()
    .executeTakeFirst()
  if (page === undefined) return false
  await tx
    .insertInto('status_page_subscriptions')
    .values(removed)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return true
}
