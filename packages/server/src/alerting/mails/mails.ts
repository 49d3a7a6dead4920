// Delivers the outbox of emails. In: due rows. Out: emails, each retried until the mail server accepts it, refuses it for good,
// or hours have passed. Any number of servers may do this at once.
import { hourMs, minuteMs } from '@vedette/contracts'
import { toError } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import { metrics } from '../../prometheus/metrics.ts'
import { claimMails, finishMail, type MailRow, retryMail } from '../../storage/alerts/mails.ts'
import type { Pool } from '../../storage/core/db.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import { retryAt } from '../delivery/retry-delay.ts'
import { untilRecorded } from '../delivery/until-recorded.ts'
import { cut } from '../message/plain-text.ts'
import { renderEmailChangeNoticeMail, renderEmailConfirmationMail } from './email-change-mails.ts'
import { renderInvitationMail } from './invitation-mail.ts'
import { renderLocationAlarmMail } from './location-alarm-mail.ts'
import type { MailContext } from './mail-layout.ts'
import { renderMaintenanceMail } from './maintenance-mail.ts'
import { renderPasswordResetMail } from './password-mail.ts'
import { renderChangeMail, renderIncidentUpdateMail, renderVerificationMail } from './subscriber-mail.ts'

export interface MailDelivery extends MailContext {
  /** Returns the response of the mail server; throws a DeliveryError if it doesn't accept the email. */
  send(mail: Mail): Promise<string>
  now(): number
  log: Log
  /** Above 0 after a failure of the mail server: nothing is claimed. */
  pauseLeftMs?(): number
  /** True: claimed emails are still sent, but no more are claimed. */
  isStopping?(): boolean
}

const retryDelays = [20_000, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs, 15 * minuteMs]
/** An email that waited this long for its first attempt (no mail server configured, no server running) is obsolete. */
const staleMs = 24 * hourMs
/** Longer than any attempt takes. */
const leaseMs = 5 * minuteMs
const concurrency = 10
const longestResult = 1000

/** Sends everything that is due; returns how many emails were attempted. */
export async function deliverMails(pool: Pool, delivery: MailDelivery): Promise<number> {
  const claim = async (limit: number) =>
    delivery.isStopping?.() || (delivery.pauseLeftMs?.() ?? 0) > 0
      ? []
      : claimMails(pool, { now: delivery.now(), limit, leaseMs })
  let tried = 0
  // Each worker claims its next email when it is done with one, so a slow one delays only its own worker.
  const workers = (await claim(concurrency)).map(async (first) => {
    for (let mail: MailRow | undefined = first; mail !== undefined; [mail] = await claim(1)) {
      tried += 1
      await deliverMail(pool, mail, delivery)
    }
  })
  const failed = (await Promise.allSettled(workers)).find((worker) => worker.status === 'rejected')
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
  if ('response' in outcome) {
    const result = cut(outcome.response, longestResult)
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

/** Separate from recording: an unavailable database must not look like an unavailable mail server. */
async function tryToSend(
  mail: MailRow,
  delivery: MailDelivery,
): Promise<{ response: string } | { error: Error }> {
  try {
    return { response: await delivery.send(render(mail, delivery)) }
  } catch (error) {
    return { error: toError(error) }
  }
}

function render(mail: MailRow, context: MailContext): Mail {
  switch (mail.kind) {
    case 'subscription_verification':
      return renderVerificationMail(mail, context)
    case 'subscription_change':
      return renderChangeMail(mail, context)
    case 'incident_update':
      return renderIncidentUpdateMail(mail, context)
    case 'maintenance_notice':
      return renderMaintenanceMail(mail, context)
    case 'location_alarm':
      return renderLocationAlarmMail(mail, context)
    case 'password_reset':
      return renderPasswordResetMail(mail, context)
    case 'invitation':
      return renderInvitationMail(mail, context)
    case 'email_confirmation':
      return renderEmailConfirmationMail(mail, context)
    case 'email_change_notice':
      return renderEmailChangeNoticeMail(mail, context)
  }
}
