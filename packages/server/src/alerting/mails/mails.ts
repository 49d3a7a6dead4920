// Delivers the outbox of mails. Comes in: rows that are due. Goes out: mails, each tried until the mail server took it,
// refused it for good, or hours have passed. Any number of servers may do this at once.
import { hourMs, minuteMs } from '@vedette/contracts'
import type { Log } from '../../core/log.ts'
import { metrics } from '../../prometheus/metrics.ts'
import { claimMails, finishMail, type MailKind, type MailRow, retryMail } from '../../storage/alerts/mails.ts'
import type { Pool } from '../../storage/core/db.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import { retryAt } from '../delivery/retry-delay.ts'
import { untilRecorded } from '../delivery/until-recorded.ts'
import { cut } from '../message/plain-text.ts'
import { renderLocationAlarmMail } from './location-alarm-mail.ts'
import type { MailContext, MailRenderer } from './mail-renderer.ts'
import { renderIncidentUpdateMail, renderVerificationMail } from './subscriber-mail.ts'

const renderers = {
  subscription_verification: renderVerificationMail,
  incident_update: renderIncidentUpdateMail,
  location_alarm: renderLocationAlarmMail,
} satisfies Record<MailKind, MailRenderer<never>>

export interface MailDelivery extends MailContext {
  /** What the mail server said; a DeliveryError where it did not take the mail. */
  send(mail: Mail): Promise<string>
  now(): number
  log: Log
  /** While the mail server is spared after a failure, nothing is claimed. */
  pauseLeftMs?(): number
  /** True: what is claimed is still sent, and nothing more. */
  isStopping?(): boolean
}

const retryDelays = [20_000, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs, 15 * minuteMs]
/** What waited this long before its first try (no mail server was set up, no server ran) is no news any more. */
const staleMs = 24 * hourMs
/** Longer than any try takes. */
const leaseMs = 5 * minuteMs
const concurrency = 10
const longestResult = 1000

/** One turn: everything that is due. Returns how many were tried. */
export async function deliverMails(pool: Pool, delivery: MailDelivery): Promise<number> {
  const claim = async (limit: number) =>
    delivery.isStopping?.() || (delivery.pauseLeftMs?.() ?? 0) > 0
      ? []
      : claimMails(pool, { now: delivery.now(), limit, leaseMs })
  let tried = 0
  // Each line claims its next mail when it is done with one: a slow one holds up its own line only.
  const lines = (await claim(concurrency)).map(async (first) => {
    for (let mail: MailRow | undefined = first; mail !== undefined; [mail] = await claim(1)) {
      tried += 1
      await deliverMail(pool, mail, delivery)
    }
  })
  const failed = (await Promise.allSettled(lines)).find((line) => line.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return tried
}

async function deliverMail(pool: Pool, mail: MailRow, delivery: MailDelivery): Promise<void> {
  const createdAt = Date.parse(mail.created_at)
  if (mail.attempts === 1 && delivery.now() - createdAt > staleMs) {
    const result = `The email was not sent, because it was more than ${staleMs / hourMs} hours old.`
    await finish(pool, mail, { status: 'FAILURE', result })
    return
  }
  const outcome = await tryToSend(mail, delivery)
  if ('said' in outcome) {
    const result = cut(outcome.said, longestResult)
    await untilRecorded(() => finish(pool, mail, { status: 'SUCCESS', result }))
    return
  }
  const { error } = outcome
  const result = cut(error.message, longestResult)
  if (!(error instanceof DeliveryError)) delivery.log.error({ err: error, mail: mail.id }, 'mail.failed')
  const refusal = error instanceof DeliveryError ? error : { permanent: false, retryAfterMs: null }
  const tried = { attempts: mail.attempts, createdAt, now: delivery.now() }
  const again = retryAt(refusal, tried, { delays: retryDelays })
  if (again === null) {
    await finish(pool, mail, { status: 'FAILURE', result })
  } else {
    await retryMail(pool, mail, { at: again, result })
  }
}

async function finish(
  pool: Pool,
  { id, kind }: MailRow,
  outcome: Parameters<typeof finishMail>[2],
): Promise<void> {
  await finishMail(pool, id, outcome)
  metrics.mails.add(1, { kind, status: outcome.status })
}

/** Apart from what is recorded of it: a store that is away must not look like a mail server that is. */
async function tryToSend(
  mail: MailRow,
  delivery: MailDelivery,
): Promise<{ said: string } | { error: Error }> {
  try {
    return { said: await delivery.send(render(mail, delivery)) }
  } catch (error) {
    return { error: error as Error }
  }
}

function render(mail: MailRow, context: MailContext): Mail {
  // Facts are written by the same kind's storage functions.
  return renderers[mail.kind](mail as never, context)
}
