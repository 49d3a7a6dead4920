// Sends what was decided. In: claimed notifications. Out: messages to channels, and what became of them, in the log.
// A slow channel holds its own few places and nobody else's; what is taken by a channel is recorded at once.
import type { ChannelType } from '@vedette/contracts'
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
  /** Absent: what was sent isn't logged. */
  events?: EventLog
  settings: ChannelSettings
  senders: Senders
  renderTemplate: ChannelTools['renderTemplate']
  /** False: what is due is written off instead of sent. */
  isOn: boolean
  /** What is under way gets that long when the server stops. */
  stopPatienceMs?: number
}

export interface Delivery {
  /** Begins to send what is due, as far as there is room; what is under way at its end goes on. */
  turn(): Promise<void>
  /** Lets what is under way come to its end; what takes too long is given up, and due again for the next server. */
  stop(): Promise<void>
}

const maxInFlight = 500
const perChannel = 20
/** With that many in flight a channel gets no more; below it, a whole handful. */
const enough = perChannel / 2
const lookAgainMs = 100
/** A channel that fails is asked by a few, so that it can't take the places of those that work. */
const perFailingChannel = 2
/** However many fail, most places are left to those that work. */
const maxFailing = 100
/** Longer than any message takes: within it nobody else sends the same. */
const leaseMs = 60_000
const patienceMs = 45_000

export function openDelivery(options: DeliveryOptions): Delivery {
  const inFlight = new Map<number, number>()
  const running = new Map<Promise<void>, AbortController>()
  let isStopping = false
  let wake = () => {}

  const failing = new Set<number>()
  const isBusy = (id: number, count: number) => count >= (failing.has(id) ? perFailingChannel : enough)
  const busyChannels = () => [...inFlight].filter(([id, count]) => isBusy(id, count)).map(([id]) => id)

  /** How many more channels that fail may be asked. */
  const failingChannels = () => {
    const places = [...inFlight].reduce((sum, [id, count]) => sum + (failing.has(id) ? count : 0), 0)
    return Math.max(0, Math.floor((maxFailing - places) / perFailingChannel))
  }

  const claim = () =>
    claimNotifications(options.store.pool, {
      ...{ now: options.clock.now(), limit: maxInFlight - running.size, busy: busyChannels() },
      ...{ perChannel, perFailingChannel, failingChannels: failingChannels(), leaseMs },
      pausedTypes: (options.senders.mail.pauseLeftMs?.() ?? 0) > 0 ? ['EMAIL'] : [],
    })

  const begin = (notification: ClaimedNotification) => {
    const { channelId } = notification
    inFlight.set(channelId, (inFlight.get(channelId) ?? 0) + 1)
    if (notification.channel?.isFailing) failing.add(channelId)
    else failing.delete(channelId)
    const giveUp = new AbortController()
    const done = deliver(notification, options, giveUp).then(() => {
      running.delete(done)
      const left = (inFlight.get(channelId) ?? 1) - 1
      if (left === 0) inFlight.delete(channelId)
      else inFlight.set(channelId, left)
      if (!isBusy(channelId, left)) wake()
    })
    running.set(done, giveUp)
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

  const takeTurn = async () => {
    while (!isStopping) {
      const claimed = running.size < maxInFlight ? await claim() : []
      claimed.forEach(begin)
      // What is not claimed although it is due belongs to channels that have enough: they are waited for.
      if (claimed.length === 0 && busyChannels().length === 0) return
      await pause()
    }
  }
  let turning = Promise.resolve()

  return {
    turn() {
      turning = takeTurn()
      return turning
    },
    async stop() {
      isStopping = true
      wake()
      // What is being claimed at this moment is sent, too.
      await turning.catch(() => undefined)
      const timer = setTimeout(() => {
        for (const giveUp of running.values()) giveUp.abort()
      }, options.stopPatienceMs ?? 8_000)
      await Promise.all(running.keys())
      clearTimeout(timer)
    },
  }
}

/** Never throws: what went wrong is in the log, and the notification is due again. */
async function deliver(
  notification: ClaimedNotification,
  options: DeliveryOptions,
  giveUp: AbortController,
): Promise<void> {
  const { pool } = options.store
  const { log } = options
  try {
    const obstacle = obstacleOf(notification, options)
    if (obstacle !== null) {
      return await finish(notification, options, { status: 'FAILURE', result: obstacle })
    }
    const result = await withPatience(send(notification, options, giveUp.signal), giveUp)
    await untilRecorded(() => finish(notification, options, { status: 'SUCCESS', result }), giveUp.signal)
    logSent(notification, options)
    if (notification.channel?.isFailing) await markChannelHealthy(pool, notification.channelId)
  } catch (error) {
    try {
      await recordFailure(notification, options, error)
    } catch (cause) {
      // The claim runs out, and it is tried again.
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

/** Why it is not even tried. */
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
    type: channel.type as ChannelType,
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
  const found = await findLatestAnalysis(store.db, accountId, errorGroupId)
  if (found === null) return null
  const { id, classification, rootCause, userImpact, codeFix } = found
  return { classification, rootCause, userImpact, codeFix, link: linkTo('analysis', id) }
}

async function withPatience<T>(work: Promise<T>, giveUp: AbortController): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new DeliveryError(`The delivery was given up after ${patienceMs / 1000} s without a response.`, {
          permanent: false,
        }),
      )
      giveUp.abort()
    }, patienceMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
