// A receiver of webhooks that verifies the signature of the received bytes.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Demand, demandOf, parse } from './demands.ts'
import { type Call, HttpReceiver } from './http-receiver.ts'

export interface WebhookMessage {
  /** The stable id of the message. */
  id: string
  method: string
  path: string
  query: Record<string, string>
  headers: Call['headers']
  /** Parsed if it is JSON. */
  body: unknown
  text: string
}

interface WebhookOptions {
  /** By path; paths without one get unsigned messages. */
  secrets?: Record<string, string>
  /** Throws if a correctly signed message is wrong. */
  check?: (message: WebhookMessage) => void
}

const demand: Demand = demandOf((words) => ({ status: 400, body: words }))
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const maxClockSkewMs = 5 * 60_000

export class Webhook {
  readonly receiver: HttpReceiver<WebhookMessage>

  private constructor(receiver: HttpReceiver<WebhookMessage>) {
    this.receiver = receiver
  }

  static async open({ secrets = {}, check = () => {} }: WebhookOptions = {}): Promise<Webhook> {
    const receiver = await HttpReceiver.open((call) => {
      verify(call, secrets[call.path])
      const message = messageOf(call)
      check(message)
      return { message, reply: { status: 200, body: { received: true } } }
    })
    return new Webhook(receiver)
  }

  to(path: string): WebhookMessage[] {
    return this.receiver.messages.filter((message) => message.path === path)
  }
}

function verify({ headers, body }: Call, secret: string | undefined): void {
  const timestamp = Number(headers['x-vedette-timestamp'])
  demand(Math.abs(Date.now() - timestamp) < maxClockSkewMs, 'the timestamp must be current')
  const shown = headers['x-vedette-signature']
  if (secret === undefined) {
    demand(shown === undefined, 'signed without a secret')
    return
  }
  const expected = createHmac('sha256', secret).update(body).digest('hex')
  const isSame =
    typeof shown === 'string' &&
    shown.length === expected.length &&
    timingSafeEqual(Buffer.from(shown), Buffer.from(expected))
  demand(isSame, 'the signature is wrong')
}

function messageOf({ method, path, query, headers, body }: Call): WebhookMessage {
  const id = headers['x-vedette-id']
  demand(typeof id === 'string' && uuid.test(id), 'x-vedette-id must be a UUID')
  demand(headers['idempotency-key'] === id, 'the idempotency key must be the id')
  const isJson = /\bjson\b/.test(headers['content-type'] ?? '')
  const parsed = isJson ? parse(body) : body
  demand(parsed !== undefined, "the body isn't JSON")
  return { id, method, path, query: Object.fromEntries(query), headers, body: parsed, text: body }
}
