// The request to a webhook of a status page, signed as Standard Webhooks (standardwebhooks.com) has it: HMAC-SHA256 over id,
// timestamp and body, so that receivers can refuse requests that are replayed later.
import { createHmac, randomBytes } from 'node:crypto'
import { statusPageUrl } from '../../links/subscription-link.ts'
import type { DeliveryFacts } from '../../storage/pages/page-webhook-queue.ts'
import type { HttpCall } from '../channels/transport/http.ts'

const secretPrefix = 'whsec_'

export function newWebhookSecret(): string {
  return `${secretPrefix}${randomBytes(24).toString('base64')}`
}

interface Request {
  /** The same in every attempt. */
  id: string
  url: string
  secret: string
  body: string
  now: number
}

export function signedCall({ id, url, secret, body, now }: Request): HttpCall {
  const timestamp = Math.floor(now / 1000)
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  }
}

/** The same in every attempt. */
export function incidentBody(
  { event, createdAt, facts }: { event: string; createdAt: string; facts: DeliveryFacts },
  publicUrl: string,
): string {
  const { statusPage, incident, update } = facts
  const url = statusPageUrl(publicUrl, statusPage.slug)
  const publicIncidentUpdateDate = new Date(update.publicIncidentUpdateDate).toISOString()
  return JSON.stringify({
    type: event,
    timestamp: createdAt,
    data: {
      statusPage: { id: statusPage.id, name: statusPage.name, url },
      incident: { ...incident, url: `${url}/incidents/${incident.id}` },
      update: { ...update, publicIncidentUpdateDate },
    },
  })
}

export function testBody(
  page: { id: string; name: string; url: string },
  publicUrl: string,
  now: number,
): string {
  return JSON.stringify({
    type: 'TEST',
    timestamp: new Date(now).toISOString(),
    data: { statusPage: { id: page.id, name: page.name, url: statusPageUrl(publicUrl, page.url) } },
  })
}
