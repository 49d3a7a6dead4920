import {
  ApiError,
  createStatusPageWebhook,
  deleteStatusPageWebhook,
  getStatusPageWebhook,
  listStatusPageWebhookDeliveries,
  listStatusPageWebhooks,
  type StatusPageWebhook,
  testStatusPageWebhook,
  updateStatusPageWebhook,
} from '@vedette/contracts'
import type { z } from 'zod'
import { newWebhookSecret } from '../../alerting/delivery/page-webhook-call.ts'
import { alertsAreOff, sendTestEvent } from '../../alerting/delivery/page-webhooks.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { addPageWebhook } from '../../pages/use-cases/add-page-webhook.ts'
import { transact } from '../../storage/core/db.ts'
import { listWebhookDeliveries } from '../../storage/pages/page-webhook-queue.ts'
import * as webhooks from '../../storage/pages/page-webhooks.ts'
import { findStatusPage } from '../../storage/pages/status-pages.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

const shownDeliveries = 100

export function statusPageWebhookRoutes({ store, clock, vault, config, channels }: Deps): Mounted[] {
  const { db } = store

  const find = async (
    accountId: string,
    { statusPageId, webhookId }: { statusPageId: string; webhookId: string },
  ) => orNotFound(await webhooks.findPageWebhook(db, accountId, statusPageId, webhookId))

  return [
    handle(listStatusPageWebhooks, async ({ account, params }) => {
      const page = orNotFound(await findStatusPage(db, account.id, params.statusPageId))
      const rows = await webhooks.listPageWebhooks(db, account.id, page.id)
      return rows.map(serializeWebhook)
    }),
    handle(createStatusPageWebhook, async ({ account, params, body }) => {
      const secret = newWebhookSecret()
      const sealed = vault.seal(account.id, secret)
      const row = await transact(db, (tx) =>
        addPageWebhook(tx, account.id, params.statusPageId, body, sealed),
      )
      return { ...serializeWebhook(row), secret }
    }),
    handle(getStatusPageWebhook, async ({ account, params }) =>
      serializeWebhook(await find(account.id, params)),
    ),
    handle(updateStatusPageWebhook, async ({ account, params, body }) => {
      const { statusPageId, webhookId } = params
      const { name, url, events, activated } = body
      const values = { name, url, events, activated }
      const now = new Date(clock.now())
      return serializeWebhook(
        orNotFound(await webhooks.updatePageWebhook(db, account.id, statusPageId, webhookId, values, now)),
      )
    }),
    handle(deleteStatusPageWebhook, async ({ account, params }) => {
      const { statusPageId, webhookId } = params
      if (!(await webhooks.deletePageWebhook(db, account.id, statusPageId, webhookId)))
        throw new ApiError('not_found')
    }),
    handle(testStatusPageWebhook, async ({ account, params, signal }) => {
      const webhook = await find(account.id, params)
      const page = orNotFound(await findStatusPage(db, account.id, params.statusPageId))
      if (config.ALERTS === 'off' || channels === undefined)
        return { status: 'FAILURE' as const, result: alertsAreOff }
      const secret = vault.unseal(account.id, webhook.secret)
      return sendTestEvent(channels, { url: webhook.url, secret, page, now: clock.now(), signal })
    }),
    handle(listStatusPageWebhookDeliveries, async ({ account, params }) => {
      const webhook = await find(account.id, params)
      const rows = await listWebhookDeliveries(db, account.id, webhook.id, shownDeliveries)
      return rows.map(({ id, event, incident_id, status, result, attempts, due_at, created_at }) => ({
        id,
        event,
        incidentId: incident_id,
        status,
        result,
        attempts,
        nextAttemptAt: due_at,
        created_at,
      }))
    }),
  ]
}

function serializeWebhook(row: webhooks.PageWebhookRow): z.output<typeof StatusPageWebhook> {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    activated: row.activated,
    deactivatedReason: row.deactivated_reason,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
