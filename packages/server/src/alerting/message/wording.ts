// The text of messages: titles, reasons, durations.
import { minuteMs } from '@vedette/contracts'
import { alarmReason } from './alarm-wording.ts'
import type { AlertMessage } from './message.ts'
import { oneLine } from './plain-text.ts'

export type TitleFacts = Pick<
  AlertMessage,
  'kind' | 'alertType' | 'isTest' | 'isReminder' | 'checkName' | 'ssl'
>

const maxNameChars = 300
const maxReasonChars = 500

export function alertTitle(facts: TitleFacts): string {
  const mark = facts.isTest ? '[Test] ' : ''
  if (facts.kind === 'ssl' && facts.ssl !== null) return mark + certificateTitle(facts.ssl)
  const check = `heck "${oneLine(facts.checkName, maxNameChars)}"`
  return facts.isReminder
    ? `${mark}Reminder: c${check} is still ${facts.kind === 'degraded' ? 'degraded' : 'failing'}`
    : `${mark}C${check} ${predicateOf(facts)}`
}

function predicateOf({ kind, alertType }: TitleFacts): string {
  if (kind === 'recovery') return 'has recovered'
  if (alertType === 'ALERT_FAILURE_DEGRADED') return 'no longer fails, but is degraded'
  return kind === 'degraded' ? 'is degraded' : 'has failed'
}

function certificateTitle({ daysRemaining, domain }: NonNullable<AlertMessage['ssl']>): string {
  const subject = `The SSL certificate for ${oneLine(domain, maxNameChars)}`
  if (daysRemaining < 0) return `${subject} expired ${count(-daysRemaining, 'day')} ago`
  return daysRemaining === 0
    ? `${subject} will expire today`
    : `${subject} will expire in ${count(daysRemaining, 'day')}`
}

/** The page that the message links to. Tests link to an example of a result. */
export function linkTarget({ resultId, isTest }: AlertMessage): 'check' | 'result' {
  return resultId === null && !isTest ? 'check' : 'result'
}

export function linkLabel(message: AlertMessage): string {
  return `Open the ${linkTarget(message)}`
}

/** One line under the title: what is wrong, where, and for how long. */
export function reasonOf(message: AlertMessage): string {
  return oneLine(sentenceOf(message), maxReasonChars)
}

function sentenceOf(message: AlertMessage): string {
  if (message.alarm !== undefined) return alarmReason(message.alarm, message.kind === 'resumed')
  const lasted = episodeDuration(message)
  const where = message.locationText === '' ? '' : ` from ${message.locationText}`
  switch (message.kind) {
    case 'ssl':
      return certificateReason(message.ssl?.daysRemaining ?? 1)
    case 'recovery':
      return `It passes again${where}${lasted === null ? '' : `, after ${lasted}`}.`
    default: {
      const isFailure = message.kind === 'failure'
      const state =
        lasted === null
          ? `It ${isFailure ? 'fails' : 'is degraded'}${where}`
          : `It has been ${isFailure ? 'failing' : 'degraded'}${where} for ${lasted}`
      return `${state}: ${causeOf(message)}`
    }
  }
}

function certificateReason(daysRemaining: number): string {
  if (daysRemaining < 0)
    return 'Browsers warn visitors, and clients that verify certificates refuse to connect. Install a new certificate now.'
  const when = daysRemaining === 0 ? 'today' : 'before it expires'
  return `Renew it ${when}. Once it has expired, browsers warn visitors, and checks fail.`
}

function causeOf(message: AlertMessage): string {
  const { error, statusCode, statusText, responseTimeMs } = message
  if (error !== null && error.trim() !== '') return error.trim().replace(/[\r\n].*$/s, '')
  if (statusCode !== null) return `The response was ${statusWords(statusCode, statusText)}.`
  if (responseTimeMs !== null) return `The response took ${responseTimeInWords(responseTimeMs)}.`
  return `See the ${linkTarget(message)} for details.`
}

export function statusWords(code: number, text: string | null): string {
  return text === null || text === '' ? String(code) : `${code} ${text}`
}

/** From the begin of the episode to the run of the message; null if shorter than a minute. */
export function episodeDuration({ episodeAt, startedAt }: AlertMessage): string | null {
  if (episodeAt === null) return null
  const ms = Date.parse(startedAt) - Date.parse(episodeAt)
  return ms >= minuteMs ? durationInWords(ms) : null
}

/** The two largest units: 1 hour 5 minutes. */
export function durationInWords(ms: number): string {
  const minutes = Math.floor(ms / minuteMs)
  if (minutes < 1) return 'less than a minute'
  const units: [number, string][] = [
    [Math.floor(minutes / 1440), 'day'],
    [Math.floor(minutes / 60) % 24, 'hour'],
    [minutes % 60, 'minute'],
  ]
  const first = units.findIndex(([amount]) => amount > 0)
  return units
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => count(amount, unit))
    .join(' ')
}

export function responseTimeInWords(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** 2026-01-31 09:05:00 UTC */
export function instantInWords(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? iso : `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}
