import { randomUUID } from 'node:crypto'
import { ApiError, type BodyOf, type createStatusPageWebhook, maxWebhooksPerPage } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import type { Sealed } from '../../storage/core/vault.ts'
import {
  insertPageWebhook,
  listPageWebhooks,
  type PageWebhookRow,
} from '../../storage/pages/page-webhooks.ts'
import { lockStatusPage } from '../../storage/pages/status-pages.ts'

/** In the transaction of the caller. The lock of the page: its webhooks are counted. */
export async function addPageWebhook(
  tx: Db,
  accountId: string,
  statusPageId: string,
  { name, url, events, activated }: BodyOf<typeof createStatusPageWebhook>,
  secret: Sealed,
): Promise<PageWebhookRow> {
  const page = orNotFound(await lockStatusPage(tx, accountId, statusPageId))
  if ((await listPageWebhooks(tx, accountId, page.id)).length >= maxWebhooksPerPage) {
    throw new ApiError('conflict', { message: `A status page has at most ${maxWebhooksPerPage} webhooks.` })
  }
  return insertPageWebhook(tx, {
    id: randomUUID(),
    account_id: accountId,
    status_page_id: page.id,
    name,
    url,
    events,
    activated,
    secret: JSON.stringify(secret),
  })
}
