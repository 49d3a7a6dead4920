import {
  ApiError,
  createStatusPageSubscriptions,
  deleteStatusPageSubscription,
  listStatusPageSubscriptions,
  type StatusPageSubscription,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { transact } from '../../storage/core/db.ts'
import { clientOf } from '../../storage/core/transaction.ts'
import { insertConfirmationMails } from '../../storage/pages/confirmation-mails.ts'
import * as subscriptions from '../../storage/pages/status-page-subscriptions.ts'
import { findStatusPage, holdStatusPage } from '../../storage/pages/status-pages.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

type Serialized = z.output<typeof StatusPageSubscription>

export function statusPageSubscriptionRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listStatusPageSubscriptions, async ({ account, params }) => {
      const page = orNotFound(await findStatusPage(db, account.id, params.statusPageId))
      const rows = await subscriptions.listStatusPageSubscriptions(db, account.id, page.id)
      return rows.map(serializeSubscription)
    }),
    handle(createStatusPageSubscriptions, async ({ account, params, body }) => {
      const sent = body.subscriptions.map(({ type, config }) => ({ type, address: config }))
      return transact(db, async (tx) => {
        const page = orNotFound(await holdStatusPage(tx, account.id, params.statusPageId))
        const created = await subscriptions.insertStatusPageSubscriptions(tx, account.id, page.id, sent)
        await insertConfirmationMails(
          clientOf(tx),
          'subscription_verification',
          page,
          created,
          null,
          clock.now(),
        )
        const skipped = sent.length - created.length
        return { created: created.length, skipped, status: 'PENDING' as const }
      })
    }),
    handle(deleteStatusPageSubscription, async ({ account, params }) => {
      const { statusPageId, subscriptionId } = params
      const deleted = await subscriptions.deleteStatusPageSubscription(
        db,
        account.id,
        statusPageId,
        subscriptionId,
      )
      if (!deleted) throw new ApiError('not_found')
    }),
  ]
}

function serializeSubscription(row: subscriptions.StatusPageSubscriptionRow): Serialized {
  return {
    id: row.id,
    type: row.type,
    address: row.address,
    status: row.status,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
