// Creates and replaces alert channels with their subscriptions, in the transaction of the caller.
import { isDeepStrictEqual } from 'node:util'
import {
  type AlertChannelInput,
  type AlertChannelSubscriptionInput,
  type ChannelDefinition,
  type ChannelType,
  channelDefinitions,
  invalidInput,
} from '@vedette/contracts'
import type { z } from 'zod'
import { requireFeature } from '../accounts/entitlements.ts'
import { orNotFound } from '../core/or-not-found.ts'
import * as channels from '../storage/alerts/alert-channels.ts'
import { markChannelHealthy } from '../storage/alerts/channel-health.ts'
import { restoreSecrets } from '../storage/alerts/channel-secrets.ts'
import * as subscriptions from '../storage/checks/subscriptions.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'

interface ChannelContext {
  accountId: string
  vault: Vault
}

type ChannelInput = z.output<typeof AlertChannelInput>

export async function createChannel(
  tx: Db,
  { accountId, vault }: ChannelContext,
  input: ChannelInput,
): Promise<channels.AlertChannel> {
  await requireChannelType(tx, accountId, input.type)
  const channel = await channels.insertAlertChannel(tx, vault, accountId, valuesOf(input, null))
  const targets = (input.subscriptions ?? []).map(targetOf)
  await subscriptions.replaceChannelSubscriptions(tx, accountId, channel.id, targets)
  return channel
}

/** Keeps secrets that weren't sent, and subscriptions if none were sent. */
export async function replaceChannel(
  tx: Db,
  { accountId, vault }: ChannelContext,
  id: number,
  input: ChannelInput,
  now: number,
): Promise<channels.AlertChannel> {
  const stored = orNotFound(await channels.findAlertChannel(tx, vault, accountId, id, { lock: true }))
  await requireChannelType(tx, accountId, input.type)
  const values = { ...valuesOf(input, stored), updated_at: new Date(now) }
  // The health of the old target says nothing about the new one.
  const isSameTarget = stored.type === values.type && isDeepStrictEqual(stored.config, values.config)
  if (!isSameTarget) await markChannelHealthy(clientOf(tx), stored.id)
  const channel = orNotFound(await channels.updateAlertChannel(tx, vault, accountId, id, values))
  if (input.subscriptions !== undefined) {
    const targets = input.subscriptions.map(targetOf)
    await subscriptions.replaceChannelSubscriptions(tx, accountId, channel.id, targets)
  }
  return channel
}

/** The channel as it would be stored: a masked secret is that of the stored channel, if one is named. */
export async function openDraft(
  db: Db,
  { accountId, vault }: ChannelContext,
  input: ChannelInput,
  storedId: number | undefined,
): Promise<Pick<channels.AlertChannel, 'id' | 'type' | 'config'>> {
  await requireChannelType(db, accountId, input.type)
  const stored =
    storedId === undefined
      ? null
      : orNotFound(await channels.findAlertChannel(db, vault, accountId, storedId))
  const { config } = valuesOf(input, stored)
  return { id: stored?.id ?? 0, type: input.type, config }
}

export async function subscribeChannel(
  tx: Db,
  { accountId, vault }: ChannelContext,
  id: number,
  input: SubscriptionInput,
): Promise<subscriptions.SubscriptionRow> {
  orNotFound(await channels.findAlertChannel(tx, vault, accountId, id, { lock: true }))
  return orNotFound(await subscriptions.upsertSubscription(tx, accountId, id, targetOf(input)))
}

async function requireChannelType(tx: Db, accountId: string, type: ChannelType): Promise<void> {
  const { entitlement }: ChannelDefinition = channelDefinitions[type]
  if (entitlement !== undefined) await requireFeature(tx, accountId, entitlement)
}

function valuesOf(input: ChannelInput, stored: channels.AlertChannel | null): channels.AlertChannelValues {
  const { config, issues } = restoreSecrets(input.type, input.config, stored)
  if (issues.length > 0) throw invalidInput(issues)
  return {
    type: input.type,
    config,
    send_recovery: input.sendRecovery,
    send_failure: input.sendFailure,
    send_degraded: input.sendDegraded,
    ssl_expiry: input.sslExpiry,
    ssl_expiry_threshold: input.sslExpiryThreshold,
    auto_subscribe: input.autoSubscribe,
  }
}

type SubscriptionInput = z.output<typeof AlertChannelSubscriptionInput>

function targetOf({ checkId, groupId, activated }: SubscriptionInput): subscriptions.TargetSubscription {
  if (checkId != null) return { checkId, activated }
  if (groupId != null) return { groupId, activated }
  throw new Error('The contract requires a checkId or a groupId')
}
