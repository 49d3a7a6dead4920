import { isDeepStrictEqual } from 'node:util'
import {
  type AlertChannel,
  type AlertChannelHealth,
  type AlertChannelInput,
  type AlertChannelSubscription,
  type AlertChannelSubscriptionInput,
  ApiError,
  type ChannelDefinition,
  type ChannelType,
  channelDefinitions,
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  invalidInput,
  listAlertChannels,
  putAlertChannelSubscription,
  type Role,
  replaceAlertChannel,
  roleAllows,
} from '@vedette/contracts'
import type { z } from 'zod'
import { requireFeature } from '../../checks/entitlements.ts'
import * as channels from '../../storage/alerts/alert-channels.ts'
import { markChannelHealthy } from '../../storage/alerts/channel-health.ts'
import { maskSecrets, restoreSecrets } from '../../storage/alerts/channel-secrets.ts'
import * as subscriptions from '../../storage/checks/subscriptions.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { clientOf } from '../../storage/core/transaction.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'

export function alertChannelRoutes({ store, vault, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listAlertChannels, async ({ account, query }) => {
      const { items, total } = await channels.listAlertChannels(db, vault, account.id, query)
      const rows = await subscriptions.listSubscriptions(db, account.id, {
        channelIds: items.map(({ id }) => id),
      })
      const byChannel = Map.groupBy(rows, (row) => row.alert_channel_id)
      return {
        items: items.map((item) => serializeAlertChannel(item, byChannel.get(item.id) ?? [], account.role)),
        total,
      }
    }),
    handle(getAlertChannel, async ({ account, params }) => {
      const channel = orNotFound(await channels.findAlertChannel(db, vault, account.id, params.id))
      return serializeAlertChannel(channel, await subscriptionsOf(db, channel), account.role)
    }),
    handle(createAlertChannel, ({ account, body }) =>
      transact(db, async (tx) => {
        await requireChannelType(tx, account.id, body.type)
        const channel = await channels.insertAlertChannel(tx, vault, account.id, valuesOf(body, null))
        await subscriptions.replaceChannelSubscriptions(
          tx,
          account.id,
          channel.id,
          targetsOf(body.subscriptions ?? []),
        )
        return serializeAlertChannel(channel, await subscriptionsOf(tx, channel), account.role)
      }),
    ),
    handle(replaceAlertChannel, ({ account, params, body }) =>
      transact(db, async (tx) => {
        const stored = orNotFound(
          await channels.findAlertChannel(tx, vault, account.id, params.id, { lock: true }),
        )
        await requireChannelType(tx, account.id, body.type)
        const values = { ...valuesOf(body, stored), updated_at: new Date(clock.now()) }
        // The health of the old target says nothing about the new one.
        if (!isSameTarget(stored, values)) await markChannelHealthy(clientOf(tx), stored.id)
        const channel = orNotFound(
          await channels.updateAlertChannel(tx, vault, account.id, params.id, values),
        )
        if (body.subscriptions !== undefined) {
          await subscriptions.replaceChannelSubscriptions(
            tx,
            account.id,
            channel.id,
            targetsOf(body.subscriptions),
          )
        }
        return serializeAlertChannel(channel, await subscriptionsOf(tx, channel), account.role)
      }),
    ),
    handle(deleteAlertChannel, async ({ account, params }) => {
      if (!(await channels.deleteAlertChannel(db, account.id, params.id))) throw new ApiError('not_found')
    }),
    handle(putAlertChannelSubscription, ({ account, params, body }) =>
      transact(db, async (tx) => {
        orNotFound(await channels.findAlertChannel(tx, vault, account.id, params.id, { lock: true }))
        return serializeSubscription(
          orNotFound(await subscriptions.upsertSubscription(tx, account.id, params.id, targetOf(body))),
        )
      }),
    ),
  ]
}

async function requireChannelType(tx: Db, accountId: string, type: ChannelType): Promise<void> {
  const { entitlement }: ChannelDefinition = channelDefinitions[type]
  if (entitlement !== undefined) await requireFeature(tx, accountId, entitlement)
}

function valuesOf(
  body: z.output<typeof AlertChannelInput>,
  stored: channels.AlertChannel | null,
): channels.AlertChannelValues {
  const { config, issues } = restoreSecrets(body.type, body.config, stored)
  if (issues.length > 0) throw invalidInput(issues)
  return {
    type: body.type,
    config,
    send_recovery: body.sendRecovery,
    send_failure: body.sendFailure,
    send_degraded: body.sendDegraded,
    ssl_expiry: body.sslExpiry,
    ssl_expiry_threshold: body.sslExpiryThreshold,
    auto_subscribe: body.autoSubscribe,
  }
}

function isSameTarget(
  stored: Pick<channels.AlertChannelValues, 'type' | 'config'>,
  { type, config }: Pick<channels.AlertChannelValues, 'type' | 'config'>,
): boolean {
  return stored.type === type && isDeepStrictEqual(stored.config, config)
}

type SubscriptionInput = z.output<typeof AlertChannelSubscriptionInput>

const targetsOf = (entries: SubscriptionInput[]) => entries.map((entry) => targetOf(entry))

function targetOf({ checkId, groupId, activated }: SubscriptionInput): subscriptions.TargetSubscription {
  if (checkId != null) return { checkId, activated }
  if (groupId != null) return { groupId, activated }
  throw new Error('The contract requires a checkId or a groupId')
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
  row: subscriptions.SubscriptionRow,
): z.output<typeof AlertChannelSubscription> {
  return { id: row.id, checkId: row.check_id, groupId: row.group_id, activated: row.activated }
}
