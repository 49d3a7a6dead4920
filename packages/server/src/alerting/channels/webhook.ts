// Any HTTP endpoint: a body from the user's template or for a known tool (webhookType), signed if a secret is set.
import { createHmac } from 'node:crypto'
import type { AlertMessage } from '../message/message.ts'
import { oneLine } from '../message/plain-text.ts'
import type { Channel, ChannelTools, ConfigOf } from './channel.ts'
import { DeliveryError } from './transport/delivery-error.ts'
import { webhookBodyOf } from './webhook-body-of.ts'
import { formType, renderWebhookTemplate } from './webhook-template.ts'

type Config = ConfigOf<'WEBHOOK'>

export const webhookChannel: Channel<Config> = {
  // On the wire: five retries after any status above 399, 20 s apart. After that, only transient failures are retried.
  retryDelays: [20, 20, 20, 20, 20, 60, 120, 300, 600, 900].map((seconds) => seconds * 1000),
  retriesRefusals: 5,
  async render(message, config, tools) {
    const url = addressOf(config)
    const own = ownHeaders(config.headers)
    const method = config.method.toUpperCase()
    const hasBody = !(method === 'GET' || method === 'HEAD')
    const content = !hasBody ? null : await contentOf(message, config, own['content-type'] ?? null, tools)
    const headers = {
      'idempotency-key': message.id,
      ...own,
      ...(content !== null && { 'content-type': content.contentType }),
      'x-vedette-id': message.id,
      // Both names, because receivers of the public service expect the second.
      ...Object.fromEntries(
        ['vedette', 'checkly'].flatMap((name) =>
          signatureHeaders(name, content?.body ?? '', config, tools.now),
        ),
      ),
    }
    return [{ key: 'webhook', http: { method, url, headers, body: content?.body ?? null } }]
  },
}

interface Content {
  body: string
  contentType: string
}

async function contentOf(
  message: AlertMessage,
  { template, webhookType }: Config,
  contentType: string | null,
  tools: ChannelTools,
): Promise<Content> {
  if (template != null && template.trim() !== '') {
    const isHtml = webhookType === 'WEBHOOK_TELEGRAM'
    return renderWebhookTemplate({ template, contentType, isHtml }, message, tools)
  }
  const body = webhookBodyOf(webhookType)(message, tools.variables)
  return body instanceof URLSearchParams
    ? { body: body.toString(), contentType: contentType ?? formType }
    : { body: JSON.stringify(body), contentType: contentType ?? 'application/json' }
}

function signatureHeaders(
  name: string,
  body: string,
  { webhookSecret }: Config,
  now: number,
): [string, string][] {
  const timestamp: [string, string] = [`x-${name}-timestamp`, String(now)]
  if (!webhookSecret) return [timestamp]
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex')
  return [timestamp, [`x-${name}-signature`, signature]]
}

/** Avoids `searchParams`, which would re-encode the user's query. */
function addressOf({ url, queryParameters }: Config): string {
  const address = URL.parse(url)
  if (address === null)
    throw new DeliveryError("The address of the webhook isn't a URL. Correct it in the channel's settings.", {
      permanent: true,
    })
  const added = queryParameters.map(
    ({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  )
  address.search = [address.search.slice(1), ...added].filter((part) => part !== '').join('&')
  return address.href
}

/** One line each, so that the value of a variable can't inject a header. */
function ownHeaders(given: Config['headers']): Record<string, string> {
  return Object.fromEntries(given.map(({ key, value }) => [key.trim().toLowerCase(), oneLine(value, 8000)]))
}
