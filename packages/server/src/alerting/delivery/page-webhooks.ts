// Delivers events to the webhooks of status pages. In: due deliveries. Out: signed requests, each retried until the receiver accepts
// it, refuses it for good, or hours have passed. Any number of servers may do this at once. A request may arrive twice, with the
// same id, if a server is killed before it has recorded the response.
import { randomUUID } from 'node:crypto'
import { dayMs } from '@vedette/contracts'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { metrics } from '../../prometheus/metrics.ts'
import type { Pool } from '../../storage/core/db.ts'
import type { Vault } from '../../storage/core/vault.ts'
import {
  type ClaimedDelivery,
  claimWebhookDeliveries,
  finishWebhookDelivery,
  retryWebhookDelivery,
} from '../../storage/pages/page-webhook-queue.ts'
import {
  markWebhookFailing,
  markWebhookHealthy,
  switchOffWebhook,
} from '../../storage/pages/page-webhooks.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { HttpCall } from '../channels/transport/http.ts'
import { judgeResponse, responseInWords } from '../channels/transport/judge-response.ts'
import { cut } from '../message/plain-text.ts'
import type { ChannelClients } from './channel-clients.ts'
import { incidentBody, signedCall, testBody } from './page-webhook-call.ts'
import { retryAt } from './retry-delay.ts'
import type { Senders } from './send-parts.ts'
import { untilRecorded } from './until-recorded.ts'

export interface PageWebhookOptions {
  pool: Pool
  vault: Vault
  clock: Clock
  log: Log
  publicUrl: string
  http: Senders['http']
  /** False: due deliveries fail instead of being sent. */
  isOn: boolean
  /** How long deliveries may take when the server stops. */
  stopTimeoutMs?: number
}

const maxInFlight = 50
/** Longer than any attempt takes. */
const leaseMs = 60_000
const retriesRefusals = 5
/** A webhook that fails for this long is switched off when a delivery is given up. */
const switchOffMs = 3 * dayMs
const maxResultChars = 500

export function openPageWebhooks(options: PageWebhookOptions) {
  const { pool, clock, log } = options
  /** Webhooks with a delivery in flight, so that a slow receiver delays only its own events. */
  const running = new Map<string, Promise<void>>()
  const controller = new AbortController()

  const begin = (delivery: ClaimedDelivery) => {
    const done = deliver(delivery, options, controller.signal)
      // The claim expires, and the delivery is retried.
      .catch((err) => log.error({ err, delivery: delivery.id }, 'page-webhook.unrecorded'))
      .finally(() => running.delete(delivery.webhookId))
    running.set(delivery.webhookId, done)
  }

  const beginDue = async () => {
    const limit = maxInFlight - running.size
    if (limit === 0) return
    const claim = { now: clock.now(), limit, busy: [...running.keys()], leaseMs }
    for (const delivery of await claimWebhookDeliveries(pool, claim)) begin(delivery)
  }
  let turning = Promise.resolve()

  return {
    /** Starts to send what is due. Deliveries continue after it resolves. */
    turn(): Promise<void> {
      turning = beginDue()
      return turning
    },
    /** Waits for deliveries in progress. Those that take too long are aborted, and are due again for the next server. */
    async stop(): Promise<void> {
      // Deliveries that are being claimed now are sent, too.
      await turning.catch(() => undefined)
      const timer = setTimeout(() => controller.abort(), options.stopTimeoutMs ?? 8_000)
      await Promise.all(running.values())
      clearTimeout(timer)
    },
  }
}

export const alertsAreOff =
  'The event was not sent, because alerts are turned off on this server (ALERTS=off).'

async function deliver(
  delivery: ClaimedDelivery,
  options: PageWebhookOptions,
  signal: AbortSignal,
): Promise<void> {
  const { pool } = options
  const obstacle = obstacleOf(delivery, options)
  if (obstacle !== null) return finish(delivery, pool, { status: 'FAILURE', result: obstacle })
  let result: string
  try {
    result = await send(delivery, options, signal)
  } catch (error) {
    return recordFailure(delivery, options, error)
  }
  await untilRecorded(() => finish(delivery, pool, { status: 'SUCCESS', result }), signal)
  await markWebhookHealthy(pool, delivery)
}

function obstacleOf({ isActivated }: ClaimedDelivery, { isOn }: PageWebhookOptions): string | null {
  if (!isOn) return alertsAreOff
  return isActivated ? null : 'The event was not sent, because the webhook is switched off.'
}

async function send(
  delivery: ClaimedDelivery,
  { vault, clock, publicUrl, http }: PageWebhookOptions,
  signal: AbortSignal,
): Promise<string> {
  const { id, accountId, url } = delivery
  const secret = vault.unseal(accountId, delivery.secret)
  const body = incidentBody(delivery, publicUrl)
  return sendCall(http, signedCall({ id, url, secret, body, now: clock.now() }), signal)
}

/** Sends it once, and returns the outcome as data: a refusal is an expected result of a test. */
export async function sendTestEvent(
  { senders, settings }: Pick<ChannelClients, 'senders' | 'settings'>,
  { url, secret, page, now, signal }: TestEvent,
): Promise<{ status: 'SUCCESS' | 'FAILURE'; result: string }> {
  const body = testBody(page, settings.publicUrl, now)
  const call = signedCall({ id: randomUUID(), url, secret, body, now })
  try {
    return { status: 'SUCCESS', result: await sendCall(senders.http, call, signal) }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { status: 'FAILURE', result: error.message }
  }
}

interface TestEvent {
  url: string
  secret: string
  page: { id: string; name: string; url: string }
  now: number
  signal: AbortSignal
}

/** Returns the response in words; throws a DeliveryError if the receiver doesn't accept the event. */
async function sendCall(http: Senders['http'], call: HttpCall, signal: AbortSignal): Promise<string> {
  const response = await http.send(call, signal)
  const refusal = judgeResponse(response)
  if (refusal !== null) throw refusal
  return responseInWords(response.status, cut(response.body.trim(), maxResultChars))
}

async function recordFailure(
  delivery: ClaimedDelivery,
  { pool, clock, log }: PageWebhookOptions,
  cause: unknown,
): Promise<void> {
  const now = clock.now()
  const isRefusal = cause instanceof DeliveryError
  if (!isRefusal) log.error({ err: cause, delivery: delivery.id }, 'page-webhook.failed')
  const error = isRefusal ? cause : new DeliveryError('An internal error prevented it.', { permanent: false })
  const result = cut(error.message, maxResultChars)
  // An internal error isn't a failure of the receiver.
  if (isRefusal) await markWebhookFailing(pool, delivery, now)
  const tried = { attempts: delivery.attempts, createdAt: Date.parse(delivery.createdAt), now }
  const at = retryAt(error, tried, { retriesRefusals })
  if (at !== null) return retryWebhookDelivery(pool, delivery, { at, result })
  await finish(delivery, pool, { status: 'FAILURE', result })
  const days = switchOffMs / dayMs
  const reason = `It was switched off, because it accepted nothing for more than ${days} days. The last failure: ${result}`
  const isOff = await switchOffWebhook(pool, delivery, { failingBefore: now - switchOffMs, reason, now })
  if (isOff) log.warn({ webhook: delivery.webhookId, reason: result }, 'page-webhook.switched-off')
}

async function finish(
  delivery: ClaimedDelivery,
  pool: Pool,
  outcome: { status: 'SUCCESS' | 'FAILURE'; result: string },
): Promise<void> {
  await finishWebhookDelivery(pool, delivery, outcome)
  metrics.pageWebhooks.add(1, { status: outcome.status })
}
