// Truncates the evidence of a run to the limits of the contract. It is scrubbed before.
import type { RunDetail } from '@vedette/contracts'
import { maxDetailLength, maxStoredBodyBytes } from '../connection/protocol.ts'
import { cutText } from '../net/http-body.ts'

const contractLimits = { chars: maxDetailLength, bodyBytes: maxStoredBodyBytes }

export function detailText(detail: RunDetail, hasSecrets: boolean, limits = contractLimits): string {
  truncateBody(detail.observed, hasSecrets, limits.bodyBytes)
  let text = JSON.stringify(detail)
  for (const max of [64_000, 16_000, 4_000, 1_000, 200]) {
    if (text.length <= limits.chars) return text
    text = JSON.stringify(detail, (_key, value) => shorten(value, max))
  }
  if (text.length <= limits.chars) return text
  return JSON.stringify({ failure: detail.failure, assertions: [], observed: null })
}

/** A truncated secret may remain with less than this length; scrubbing recognizes longer beginnings. */
const maxSecretRest = 64

function truncateBody(observed: unknown, hasSecrets: boolean, maxBytes: number): void {
  const response = isObject(observed) ? observed.response : null
  if (!isObject(response) || typeof response.body !== 'string') return
  // Masks are longer than short secrets, so the scrubbed body may exceed the limit.
  const cut = cutText(response.body, maxBytes)
  if (cut.length < response.body.length) response.truncated = true
  response.body = response.truncated && hasSecrets ? cut.slice(0, -maxSecretRest) : cut
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const maxElements = 1_000

function shorten(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string' && value.length > maxChars) return `${cutText(value, maxChars)}…`
  if (Array.isArray(value) && value.length > maxElements) return value.slice(0, maxElements)
  return value
}
