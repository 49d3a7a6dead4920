import { type Selectable, sql, type Updateable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type PageWebhookRow = Selectable<Tables['page_webhooks']>

const rows = accountRows('page_webhooks')

export const insertPageWebhook = rows.insert

export async function listPageWebhooks(db: Db, accountId: string, pageId: string): Promise<PageWebhookRow[]> {
  return db
    .selectFrom('page_webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function findPageWebhook(
  db: Db,
  accountId: string,
  pageId: string,
  id: string,
): Promise<PageWebhookRow | null> {
  const row = await rows.find(db, accountId, id)
  return row?.status_page_id === pageId.toLowerCase() ? row : null
}

/** It starts anew: earlier failures don't count. */
export async function updatePageWebhook(
  db: Db,
  accountId: string,
  pageId: string,
  id: string,
  values: Pick<Updateable<Tables['page_webhooks']>, 'name' | 'url' | 'events' | 'activated'>,
  now: Date,
): Promise<PageWebhookRow | null> {
  const row = await db
    .updateTable('page_webhooks')
    .set({
      ...values,
      failing_since: null,
      deactivated_reason: values.activated === true ? null : sql<string | null>`deactivated_reason`,
      updated_at: now,
    })
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function deletePageWebhook(
  db: Db,
  accountId: string,
  pageId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('page_webhooks')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

interface Key {
  accountId: string
  webhookId: string
}

export async function markWebhookHealthy(client: Client, { accountId, webhookId }: Key): Promise<void> {
  await client.query(
    'update page_webhooks set failing_since = null where account_id = $1 and id = $2 and failing_since is not null',
    [accountId, webhookId],
  )
}

export async function markWebhookFailing(
  client: Client,
  { accountId, webhookId }: Key,
  now: number,
): Promise<void> {
  await client.query(
    'update page_webhooks set failing_since = $3 where account_id = $1 and id = $2 and failing_since is null',
    [accountId, webhookId, new Date(now)],
  )
}

/** Switches off a webhook that fails at least since `failingBefore`. False: it doesn't, or is off already. */
export async function switchOffWebhook(
  client: Client,
  { accountId, webhookId }: Key,
  { failingBefore, reason, now }: { failingBefore: number; reason: string; now: number },
): Promise<boolean> {
  const { rows } = await client.query(
    `update page_webhooks set activated = false, deactivated_reason = $4, updated_at = $5
     where account_id = $1 and id = $2 and activated and failing_since <= $3
     returning id`,
    [accountId, webhookId, new Date(failingBefore), reason, new Date(now)],
  )
  return rows.length > 0
}
