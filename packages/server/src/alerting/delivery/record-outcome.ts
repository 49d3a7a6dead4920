// Records the outcome of a message in the log and on its channel.
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { metrics } from '../../prometheus/metrics.ts'
import { markChannelFailing } from '../../storage/alerts/channel-health.ts'
import {
  type ClaimedNotification,
  finishNotification,
  retryNotification,
} from '../../storage/alerts/notification-queue.ts'
import type { Store } from '../../storage/core/db.ts'
import { channelOf } from '../channels/index.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import { retryAt } from './retry-delay.ts'

interface RecordOptions {
  store: Pick<Store, 'pool'>
  clock: Clock
  log: Log
}

export async function recordFailure(
  notification: ClaimedNotification,
  options: RecordOptions,
  cause: unknown,
): Promise<void> {
  const { clock, log } = options
  const error = toDeliveryError(cause, log)
  const { pool } = options.store
  const { id, channelId, channel, attempts, createdAt } = notification
  const now = clock.now()
  const { retryDelays, retriesRefusals } = channel === null ? {} : channelOf(channel.type)
  const at = retryAt(
    error,
    { attempts, createdAt: Date.parse(createdAt), now },
    { ...(retryDelays && { delays: retryDelays }), ...(retriesRefusals && { retriesRefusals }) },
  )
  const result = error.message
  const level = error.isUntried ? 'debug' : 'warn'
  log[level]({ notification: id, channel: channelId, attempts, reason: result, at }, 'notification.failed')
  if (at === null) await finish(notification, options, { status: 'FAILURE', result })
  else {
    const status = error.rateLimited ? 'RATE_LIMITED' : 'IN_PROGRESS'
    await retryNotification(pool, notification, { status, result, dueAt: at })
  }
  // An internal error isn't a failure of the channel.
  if (channel !== null && error === cause) {
    await markChannelFailing(pool, channelId, { failure: result, isRefusing: error.permanent, now })
  }
}

export async function finish(
  notification: ClaimedNotification,
  { store }: Pick<RecordOptions, 'store'>,
  outcome: { status: 'SUCCESS' | 'FAILURE'; result: string },
): Promise<void> {
  await finishNotification(store.pool, notification, outcome)
  metrics.notifications.add(1, { type: notification.channel?.type ?? 'gone', status: outcome.status })
}

function toDeliveryError(error: unknown, log: Log): DeliveryError {
  if (error instanceof DeliveryError) return error
  log.error({ err: error }, 'notification.error')
  return new DeliveryError(
    'An internal error prevented the delivery. The operator can find the cause in the server log.',
    { permanent: false, cause: error },
  )
}
