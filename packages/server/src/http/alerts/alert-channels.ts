import {
  type AlertChannel,
  type AlertChannelHealth,
  type AlertChannelSubscription,
  ApiError,
  createAlertChannel,
  deleteAlertChannel,
  deleteAlertChannelSubscription,
  getAlertChannel,
  getAlertChannelDependents,
  listAlertChannelSubscribers,
  listAlertChannels,
  putAlertChannelSubscription,
  type Role,
  replaceAlertChannel,
  roleAllows,
} from '@vedette/contracts'
import type { z } from 'zod'
import { createChannel, replaceChannel, subscribeChannel } from '../../alerts/change-channels.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as channels from '../../storage/alerts/alert-channels.ts'
import { readChannelDependents } from '../../storage/alerts/channel-dependents.ts'
import { maskSecrets } from '../../storage/alerts/channel-secrets.ts'
import * as subscriptions from '../../storage/checks/subscriptions.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { withProjectFields, withProjectFieldsOfOne } from '../../storage/projects/owners.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function alertChannelRoutes({ store, vault, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listAlertChannels, async ({ account, query }) => {
      const { items, total } = await channels.listAlertChannels(db, vault, account.id, query)
      const rows = await subscriptions.listSubscriptions(db, account.id, {
        channelIds: items.map(({ id }) => id),
      })
      const byChannel = Map.groupBy(rows, (row) => row.alert_channel_id)
      const serialized = items.map((item) =>
        serializeAlertChannel(item, byChannel.get(item.id) ?? [], account.role),
      )
      return { items: await withProjectFields(db, account.id, 'alert-channel', serialized), total }
    }),
    handle(getAlertChannel, async ({ account, params }) => {
      const channel = orNotFound(await channels.findAlertChannel(db, vault, account.id, params.id))
      const serialized = serializeAlertChannel(channel, await subscriptionsOf(db, channel), account.role)
      return withProjectFieldsOfOne(db, account.id, 'alert-channel', serialized)
    }),
    handle(createAlertChannel, ({ account, body }) =>
      transact(db, async (tx) => {
        const channel = await createChannel(tx, { accountId: account.id, vault }, body)
        return serializeAlertChannel(channel, await subscriptionsOf(tx, channel), account.role)
      }),
    ),
    handle(replaceAlertChannel, ({ account, params, body }) =>
      transact(db, async (tx) => {
        const context = { accountId: account.id, vault }
        const channel = await replaceChannel(tx, context, params.id, body, clock.now())
        return serializeAlertChannel(channel, await subscriptionsOf(tx, channel), account.role)
      }),
    ),
    handle(deleteAlertChannel, async ({ account, params }) => {
      const isDeleted = await transact(db, (tx) => channels.deleteAlertChannel(tx, account.id, params.id))
      if (!isDeleted) throw new ApiError('not_found')
    }),
    handle(putAlertChannelSubscription, async ({ account, params, body }) => {
      const context = { accountId: account.id, vault }
      return serializeSubscription(await transact(db, (tx) => subscribeChannel(tx, context, params.id, body)))
    }),
    handle(listAlertChannelSubscribers, async ({ account, params, query }) => {
      orNotFound(await channels.findAlertChannel(db, vault, account.id, params.id))
      const { items, total } = await subscriptions.listNamedSubscriptions(db, account.id, params.id, query)
      return { items: items.map((row) => ({ ...serializeSubscription(row), name: row.name })), total }
    }),
    handle(deleteAlertChannelSubscription, async ({ account, params: { id, subscriptionId } }) => {
      if (!(await subscriptions.deleteSubscription(db, account.id, id, subscriptionId)))
        throw new ApiError('not_found')
    }),
    handle(getAlertChannelDependents, async ({ account, params }) => {
      orNotFound(await channels.findAlertChannel(db, vault, account.id, params.id))
      return readChannelDependents(store.pool, account.id, params.id)
    }),
  ]
}

async function subscriptionsOf(
  db: Db,
  channel: channels.AlertChannel,
): Promise<subscriptions.SubscriptionRow[]> {
  return subscriptions.listSubscriptions(db, channel.account_id, { channelIds: [channel.id] })
}

// choice: the wire shows configs in full; keys that can't change the channel get masked secrets.
function serializeAlertChannel(
  channel: channels.AlertChannel,
  subscribed: subscriptions.SubscriptionRow[],
  role: Role,
): z.output<typeof AlertChannel> {
  const { type } = channel
  return {
    id: channel.id,
    type,
    config: roleAllows(role, 'READ_WRITE') ? channel.config : maskSecrets(type, channel.config),
    sendRecovery: channel.send_recovery,
    sendFailure: channel.send_failure,
    sendDegraded: channel.send_degraded,
    sslExpiry: channel.ssl_expiry,
    sslExpiryThreshold: channel.ssl_expiry_threshold,
    autoSubscribe: channel.auto_subscribe,
    subscriptions: subscribed.map(serializeSubscription),
    health: serializeHealth(channel),
    created_at: channel.created_at,
    updated_at: channel.updated_at,
  } as z.output<typeof AlertChannel>
}

function serializeHealth(channel: channels.AlertChannel): z.output<typeof AlertChannelHealth> {
  const { failing_since: since, failure: error, is_refusing: isRefusing } = channel
  if (since === null) return { status: 'OK', since: null, error: null }
  return { status: isRefusing ? 'REFUSING' : 'FAILING', since, error }
}

function serializeSubscription(
  row: Pick<subscriptions.SubscriptionRow, 'id' | 'check_id' | 'group_id' | 'activated'>,
): z.output<typeof AlertChannelSubscription> {
  return { id: row.id, checkId: row.check_id, groupId: row.group_id, activated: row.activated }
}
