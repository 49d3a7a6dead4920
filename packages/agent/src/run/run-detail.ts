// The evidence of a run as the text that is stored. Everything in it is scrubbed already; here it is only cut.
import type { RunDetail } from '@vedette/contracts'
import { maxDetailLength, maxStoredBodyBytes } from '../connection/protocol.ts'
import { cutText } from '../net/http-body.ts'

interface DetailLimits {
  chars: number
  bodyBytes: number
}

const contractLimits: DetailLimits = { chars: maxDetailLength, bodyBytes: maxStoredBodyBytes }

export function detailText(detail: RunDetail, hasSecrets: boolean, limits = contractLimits): string {
  cutBody(detail.observed, hasSecrets, limits.bodyBytes)
  let text = JSON.stringify(detail)
  for (const max of [64_000, 16_000, 4_000, 1_000, 200]) {
    if (text.length <= limits.chars) return text
    text = JSON.stringify(detail, (_key, value) => shortened(value, max))
  }
  if (text.length <= limits.chars) return text
  return JSON.stringify({ failure: detail.failure, assertions: [], observed: null })
}

/** A secret that was cut before it was scrubbed has less than this left: longer beginnings are recognized. */
const cutSecretChars = 64

function cutBody(observed: unknown, hasSecrets: boolean, maxBytes: number): void {
  const response = (observed as { response?: { body?: unknown; truncated?: boolean } } | null)?.response
  if (typeof response?.body !== 'string') return
  // Masks are longer than short secrets: what fitted before need not fit now.
  const cut = cutText(response.body, maxBytes)
  if (cut.length < response.body.length) response.truncated = true
  response.body = response.truncated && hasSecrets ? cut.slice(0, -cutSecretChars) : cut
}

const maxElements = 1_000

function shortened(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string' && value.length > maxChars) return `${cutText(value, maxChars)}…`
  if (Array.isArray(value) && value.length > maxElements) return value.slice(0, maxElements)
  return value
}
