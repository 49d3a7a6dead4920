// Sends notifications. In: claimed notifications. Out: messages to channels, and their outcomes in the log. Limits per channel keep
// slow channels from delaying the others; accepted messages are recorded at once.
import type { Clock } from '../../core/clock.ts'
import type { EventLog } from '../../core/event-log.ts'
import type { Log } from '../../core/log.ts'
import type { LinkTo } from '../../links/signed-link.ts'
import { readAlertVariables } from '../../storage/alerts/alert-variables.ts'
import { markChannelHealthy } from '../../storage/alerts/channel-health.ts'
import { openSecrets } from '../../storage/alerts/channel-secrets.ts'
import {
  acceptPart,
  type ClaimedNotification,
  claimNotifications,
} from '../../storage/alerts/notification-queue.ts'
import type { Store } from '../../storage/core/db.ts'
import { openLinks } from '../../storage/core/signed-links.ts'
import type { Vault } from '../../storage/core/vault.ts'
import { findLatestAnalysis } from '../../storage/results/root-cause-analyses.ts'
import type { ChannelSettings, ChannelTools } from '../channels/channel.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { MessageAnalysis } from '../message/message.ts'
import { messageOf } from '../message/message-of.ts'
import { alertTitle } from '../message/wording.ts'
import { finish, recordFailure } from './record-outcome.ts'
import { type Senders, sendParts } from './send-parts.ts'
import { untilRecorded } from './until-recorded.ts'

export interface DeliveryOptions {
  store: Pick<Store, 'db' | 'pool'>
  vault: Vault
  clock: Clock
  log: Log
  /** Absent: sent messages aren't logged. */
  events?: EventLog
  settings: ChannelSettings
  senders: Senders
  renderTemplate: ChannelTools['renderTemplate']
  /** False: due notifications fail instead of being sent. */
  isOn: boolean
  /** How long deliveries may take when the server stops. */
  stopTimeoutMs?: number
}

export interface Delivery {
  /** Starts to send what is due, up to the limits. Deliveries continue after it resolves. */
  turn(): Promise<void>
  /** Waits for deliveries in progress. Those that take too long are aborted, and are due again for the next server. */
  stop(): Promise<void>
}

const maxInFlight = 500
const perChannel = 20
/** Refill below half capacity. */
const refillBelow = perChannel / 2
const pollMs = 100
/** Failing channels get fewer attempts, so that they don't use up the capacity. */
const perFailingChannel = 2
/** The share of maxInFlight for all failing channels. */
const maxFailing = 100
/** Longer than any delivery takes: until then, no other server claims the notification. */
const leaseMs = 60_000
const timeoutMs = 45_000

export function openDelivery(options: DeliveryOptions): Delivery {
  const inFlight = new Map<number, number>()
  const running = new Map<Promise<void>, AbortController>()
  let isStopping = false
  let wake = () => {}

  const failing = new Set<number>()
  const isBusy = (id: number, count: number) => count >= (failing.has(id) ? perFailingChannel : refillBelow)
  const busyChannels = () => [...inFlight].filter(([id, count]) => isBusy(id, count)).map(([id]) => id)

  /** How many more failing channels may be attempted. */
  const failingChannels = () => {
    const attempts = [...inFlight].reduce((sum, [id, count]) => sum + (failing.has(id) ? count : 0), 0)
    return Math.max(0, Math.floor((maxFailing - attempts) / perFailingChannel))
  }

  const claim = () =>
    claimNotifications(options.store.pool, {
      now: options.clock.now(),
      limit: maxInFlight - running.size,
      busy: busyChannels(),
      perChannel,
      perFailingChannel,
      failingChannels: failingChannels(),
      leaseMs,
      pausedTypes: (options.senders.mail.pauseLeftMs?.() ?? 0) > 0 ? ['EMAIL'] : [],
    })

  const begin = (notification: ClaimedNotification) => {
    const { channelId } = notification
    inFlight.set(channelId, (inFlight.get(channelId) ?? 0) + 1)
    if (notification.channel?.isFailing) failing.add(channelId)
    else failing.delete(channelId)
    const controller = new AbortController()
    const done = deliver(notification, options, controller).then(() => {
      running.delete(done)
      const left = (inFlight.get(channelId) ?? 1) - 1
      if (left === 0) inFlight.delete(channelId)
      else inFlight.set(channelId, left)
      if (!isBusy(channelId, left)) wake()
    })
    running.set(done, controller)
  }

  /** Resolves when a channel has capacity again, or after pollMs. */
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pollMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const runTurn = async () => {
    while (!isStopping) {
      const claimed = running.size < maxInFlight ? await claim() : []
      claimed.forEach(begin)
      // Due notifications that weren't claimed belong to busy channels: wait for those.
      if (claimed.length === 0 && busyChannels().length === 0) return
      await pause()
    }
  }
  let turning = Promise.resolve()

  return {
    turn() {
      turning = runTurn()
      return turning
    },
    async stop() {
      isStopping = true
      wake()
      // Notifications that are being claimed now are sent, too.
      await turning.catch(() => undefined)
      const timer = setTimeout(() => {
        for (const controller of running.values()) controller.abort()
      }, options.stopTimeoutMs ?? 8_000)
      await Promise.all(running.keys())
      clearTimeout(timer)
    },
  }
}

/** Never throws: failures are logged, and the notification is due again. */
async function deliver(
  notification: ClaimedNotification,
  options: DeliveryOptions,
  controller: AbortController,
): Promise<void> {
  const { pool } = options.store
  const { log } = options
  try {
    const obstacle = obstacleOf(notification, options)
    if (obstacle !== null) {
      return await finish(notification, options, { status: 'FAILURE', result: obstacle })
    }
    const result = await withTimeout(send(notification, options, controller.signal), controller)
    await untilRecorded(() => finish(notification, options, { status: 'SUCCESS', result }), controller.signal)
    logSent(notification, options)
    if (notification.channel?.isFailing) await markChannelHealthy(pool, notification.channelId)
  } catch (error) {
    try {
      await recordFailure(notification, options, error)
    } catch (cause) {
      // The claim expires, and the notification is retried.
      log.error({ err: cause, notification: notification.id }, 'notification.unrecorded')
    }
  }
}

function logSent(notification: ClaimedNotification, { events }: DeliveryOptions): void {
  const { accountId, checkId, channelId, channel, kind, alert, isReminder } = notification
  const { name: checkName, alertType } = alert
  const ssl = alert.facts.ssl ?? null
  const title = alertTitle({ kind, checkName, alertType, ssl, isReminder, isTest: false })
  const fields = { accountId, checkId, channel: channelId }
  events?.info('alert.sent', fields, `Alert sent to channel ${channelId} (${channel?.type}): ${title}`)
}

/** Why the notification isn't attempted. */
function obstacleOf({ isKnown }: ClaimedNotification, { isOn }: DeliveryOptions): string | null {
  if (!isOn) return 'The message was not sent, because alerts are turned off on this server (ALERTS=off).'
  return isKnown
    ? null
    : 'The message was not sent, because this channel never received the alert that it ends.'
}

async function send(
  notification: ClaimedNotification,
  options: DeliveryOptions,
  signal: AbortSignal,
): Promise<string> {
  const { vault, settings, senders, clock } = options
  const { pool } = options.store
  const { channel, accountId, alert } = notification
  if (channel === null)
    throw new DeliveryError('The message was not sent, because the channel was deleted.', { permanent: true })
  const { groupId } = alert.facts
  const known = await readAlertVariables(pool, vault, { accountId, groupId })
  const signing = { publicUrl: settings.publicUrl, sign: vault.sign, now: clock.now() }
  const linkTo = await openLinks(options.store.db, signing, accountId)
  const analysis = await analysisOf(options, linkTo, accountId, alert.errorGroupId)
  const tools = { now: clock.now(), settings, ...known, renderTemplate: options.renderTemplate }
  const { result } = await sendParts({
    type: channel.type,
    message: messageOf(notification, { linkTo, analysis }),
    config: openSecrets(vault, accountId, channel.config),
    tools,
    senders,
    accepted: new Set(notification.accepted),
    onAccepted: (part) => untilRecorded(() => acceptPart(pool, notification, part), signal),
    signal,
  })
  return result
}

async function analysisOf(
  { store }: DeliveryOptions,
  linkTo: LinkTo,
  accountId: string,
  errorGroupId: string | null,
): Promise<MessageAnalysis | null> {
  if (errorGroupId === null) return null
  const analysis = await findLatestAnalysis(store.db, accountId, errorGroupId)
  if (analysis === null) return null
  const { id, classification, rootCause, userImpact, codeFix } = analysis
  return { classification, rootCause, userImpact, codeFix, link: linkTo('analysis', id) }
}

async function withTimeout<T>(work: Promise<T>, controller: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new DeliveryError(`The delivery was given up after ${timeoutMs / 1000} s without a response.`, {
          permanent: false,
        }),
      )
      controller.abort()
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
