// Sends what was decided. In: claimed notifications. Out: messages to channels, and what became of them, in the log.
// A slow channel holds its own few places and nobody else's; what is taken by a channel is recorded at once.
import type { ChannelType } from '@vedette/contracts'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { metrics } from '../../metrics.ts'
import { readAlertVariables } from '../../storage/alert-variables.ts'
import { markChannelFailing, markChannelWell } from '../../storage/channel-health.ts'
import { openSecrets } from '../../storage/channel-secrets.ts'
import type { Store } from '../../storage/db.ts'
import {
  acceptPart,
  type ClaimedNotification,
  claimNotifications,
  finishNotification,
  retryNotification,
} from '../../storage/notification-queue.ts'
import { findLatestAnalysis } from '../../storage/root-cause-analyses.ts'
import type { Vault } from '../../storage/vault.ts'
import type { ChannelSettings, ChannelTools } from '../channels/channel.ts'
import { channelOf } from '../channels/index.ts'
import type { MessageAnalysis } from '../message/message.ts'
import { messageOf } from '../message/message-of.ts'
import { DeliveryError } from './delivery-error.ts'
import { retryAt } from './retry-delay.ts'
import { type Senders, sendParts } from './send-parts.ts'

export interface DeliveryOptions {
  store: Pick<Store, 'db' | 'pool'>
  vault: Vault
  clock: Clock
  log: Log
  settings: ChannelSettings
  senders: Senders
  renderTemplate: ChannelTools['renderTemplate']
  /** False: what is due is written off instead of sent. */
  isOn: boolean
}

export interface Delivery {
  /** Begins to send what is due, as far as there is room; what is under way at its end goes on. */
  turn(): Promise<void>
  /** Lets what is under way come to its end. */
  stop(): Promise<void>
}

const maxInFlight = 500
const perChannel = 20
/** With that many in flight a channel gets no more; below it, a whole handful. */
const enough = perChannel / 2
const lookAgainMs = 100
/** A channel that fails is asked by a few, so that it can't take the places of those that work. */
const perFailingChannel = 2
/** Longer than any message takes: within it nobody else sends the same. */
const leaseMs = 60_000
const patienceMs = 45_000

export function openDelivery(options: DeliveryOptions): Delivery {
  const inFlight = new Map<number, number>()
  const running = new Set<Promise<void>>()
  let isStopping = false
  let wake = () => {}

  const failing = new Set<number>()
  const isBusy = (id: number, count: number) => count >= (failing.has(id) ? perFailingChannel : enough)
  const busyChannels = () => [...inFlight].filter(([id, count]) => isBusy(id, count)).map(([id]) => id)

  const claim = () =>
    claimNotifications(options.store.pool, {
      ...{ now: options.clock.now(), limit: maxInFlight - running.size, busy: busyChannels() },
      ...{ perChannel, perFailingChannel, leaseMs },
    })

  const begin = (notification: ClaimedNotification) => {
    const { channelId } = notification
    inFlight.set(channelId, (inFlight.get(channelId) ?? 0) + 1)
    if (notification.channel?.isFailing) failing.add(channelId)
    else failing.delete(channelId)
    const done = deliver(notification, options).then(() => {
      running.delete(done)
      const left = (inFlight.get(channelId) ?? 1) - 1
      if (left === 0) inFlight.delete(channelId)
      else inFlight.set(channelId, left)
      if (!isBusy(channelId, left)) wake()
    })
    running.add(done)
  }

  /** Until a channel has room again, or something else may have come due. */
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lookAgainMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  return {
    async turn() {
      while (!isStopping) {
        const claimed = running.size < maxInFlight ? await claim() : []
        claimed.forEach(begin)
        // What is not claimed although it is due belongs to channels that have enough: they are waited for.
        if (claimed.length === 0 && busyChannels().length === 0) return
        await pause()
      }
    },
    async stop() {
      isStopping = true
      wake()
      await Promise.all(running)
    },
  }
}

/** Never throws: what went wrong is in the log, and the notification is due again. */
async function deliver(notification: ClaimedNotification, options: DeliveryOptions): Promise<void> {
  const { pool } = options.store
  const { log } = options
  try {
    if (!options.isOn) {
      return await finish(notification, options, { status: 'FAILURE', result: 'not sent: ALERTS=off' })
    }
    const result = await withPatience(send(notification, options))
    await finish(notification, options, { status: 'SUCCESS', result })
    if (notification.channel?.isFailing) await markChannelWell(pool, notification.channelId)
  } catch (error) {
    try {
      await recordFailure(notification, options, asDeliveryError(error, log))
    } catch (cause) {
      // The claim runs out, and it is tried again.
      log.error({ err: cause, notification: notification.id }, 'notification.unrecorded')
    }
  }
}

async function send(notification: ClaimedNotification, options: DeliveryOptions): Promise<string> {
  const { vault, settings, senders, clock } = options
  const { pool } = options.store
  const { channel, accountId, alert } = notification
  if (channel === null) throw new DeliveryError('the channel was deleted', { permanent: true })
  const { groupId, errorGroupId } = alert.facts
  const variables = await readAlertVariables(pool, vault, { accountId, groupId })
  const analysis = await analysisOf(options, accountId, errorGroupId)
  const tools = { now: clock.now(), settings, variables, renderTemplate: options.renderTemplate }
  const { result } = await sendParts({
    type: channel.type as ChannelType,
    message: messageOf(notification, { publicUrl: settings.publicUrl, analysis }),
    config: openSecrets(vault, accountId, channel.config),
    tools,
    senders,
    accepted: new Set(notification.accepted),
    onAccepted: (part) => acceptPart(pool, notification, part),
    signal: AbortSignal.timeout(patienceMs),
  })
  return result
}

async function analysisOf(
  { store, settings }: DeliveryOptions,
  accountId: string,
  errorGroupId: string | null,
): Promise<MessageAnalysis | null> {
  if (errorGroupId === null) return null
  const found = await findLatestAnalysis(store.db, accountId, errorGroupId)
  if (found === null) return null
  const { id, classification, rootCause, userImpact, codeFix } = found
  const link = `${settings.publicUrl}/accounts/${accountId}/root-cause-analyses/${id}`
  return { classification, rootCause, userImpact, codeFix, link }
}

async function recordFailure(
  notification: ClaimedNotification,
  options: DeliveryOptions,
  error: DeliveryError,
): Promise<void> {
  const { clock, log } = options
  const { pool } = options.store
  const { id, channelId, channel, attempts, createdAt } = notification
  const now = clock.now()
  const { retryDelays, retriesRefusals } = channel === null ? {} : channelOf(channel.type as ChannelType)
  const at = retryAt(
    error,
    { attempts, createdAt: Date.parse(createdAt), now },
    { ...(retryDelays && { delays: retryDelays }), ...(retriesRefusals && { retriesRefusals }) },
  )
  const result = error.message
  log.warn({ notification: id, channel: channelId, attempts, reason: result, at }, 'notification.failed')
  if (at === null) await finish(notification, options, { status: 'FAILURE', result })
  else {
    const status = error.rateLimited ? 'RATE_LIMITED' : 'IN_PROGRESS'
    await retryNotification(pool, notification, { status, result, dueAt: at })
  }
  if (channel !== null) {
    await markChannelFailing(pool, channelId, { failure: result, isRefusing: error.permanent, now })
  }
}

async function finish(
  notification: ClaimedNotification,
  { store }: DeliveryOptions,
  outcome: { status: 'SUCCESS' | 'FAILURE'; result: string },
): Promise<void> {
  await finishNotification(store.pool, notification, outcome)
  metrics.notifications.add(1, { type: notification.channel?.type ?? 'gone', status: outcome.status })
}

async function withPatience<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DeliveryError(`took longer than ${patienceMs / 1000} s`, { permanent: false })),
      patienceMs,
    )
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

function asDeliveryError(error: unknown, log: Log): DeliveryError {
  if (error instanceof DeliveryError) return error
  log.error({ err: error }, 'notification.error')
  return new DeliveryError('an error of our own; it will be tried again', { permanent: false, cause: error })
}
