// The default judgment of responses by status.
import { hourMs } from '@vedette/contracts'
import { DeliveryError } from './delivery-error.ts'
import type { HttpResponse } from './http.ts'

const maxPauseMs = hourMs
const maxBodyChars = 500

/** Null: the message was accepted. */
export function judgeResponse(response: HttpResponse): DeliveryError | null {
  const { status } = response
  if (status >= 200 && status < 300) return null
  const permanent = status < 500 && ![408, 425, 429].includes(status)
  const retryAfterMs = status === 429 || status === 503 ? pauseOf(response) : undefined
  return new DeliveryError(wording(response), { permanent, retryAfterMs, rateLimited: status === 429 })
}

function wording({ status, body }: HttpResponse): string {
  if (status >= 300 && status < 400)
    return `${responseInWords(status, '')} Redirects are not followed: enter the final address in the channel's settings.`
  const stated = responseInWords(status, body.replace(/\s+/g, ' ').trim().slice(0, maxBodyChars))
  const part = partToCorrect[status]
  return part === undefined ? stated : `${stated} Check the ${part} in the channel's settings.`
}

const partToCorrect: Partial<Record<number, string>> = {
  401: 'credentials',
  403: 'credentials',
  404: 'address',
  405: 'method',
  410: 'address',
}

/** The body in parentheses, so that any body leaves a complete sentence. */
export function responseInWords(status: number, body: string): string {
  return `The channel responded with status ${status}${body === '' ? '' : ` (${body})`}.`
}

/** Retry-After as seconds or a date; a date is relative to the receiver's clock. */
function pauseOf({ headers }: HttpResponse): number | undefined {
  const value = headers['retry-after']?.trim() ?? ''
  const isDate = /^[A-Z][a-z]{2}/.test(value)
  const ms = isDate ? Date.parse(value) - Date.parse(headers.date ?? '') : secondsOf(value) * 1000
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxPauseMs)
}

function secondsOf(text: string): number {
  return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
}
