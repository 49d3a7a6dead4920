// PagerDuty, Events API v2.
import {
  type Demand,
  demandOf,
  isFields,
  isInstant,
  isLink,
  isOneOf,
  isOnly,
  isText,
  readJson,
} from './demands.ts'
import { HttpReceiver, type Protocol } from './http-receiver.ts'

export interface PagerdutyEvent {
  routingKey: string
  action: 'trigger' | 'acknowledge' | 'resolve'
  dedupKey: string
  summary: string
  severity: string
  details: Record<string, unknown>
}

const demand: Demand = demandOf((words) => ({
  status: 400,
  body: { status: 'invalid event', message: 'Event object is invalid', errors: [words] },
}))

const fields = [
  'routing_key',
  'event_action',
  'dedup_key',
  'payload',
  'images',
  'links',
  'client',
  'client_url',
]
const payloadFields = [
  'summary',
  'source',
  'severity',
  'timestamp',
  'component',
  'group',
  'class',
  'custom_details',
]

const eventsApi: Protocol<PagerdutyEvent> = (call) => {
  demand(call.method === 'POST' && call.path === '/v2/enqueue', 'must be POST /v2/enqueue')
  const event = readJson(call, demand)
  demand(call.body.length <= 512 * 1024, 'must not be larger than 512 KB')
  demand(isOnly(event, ...fields), `has other fields than ${fields}`)
  const { routing_key: routingKey, event_action: action, dedup_key: dedupKey, payload, links } = event
  demand(typeof routingKey === 'string' && /^\w{32}$/.test(routingKey), "'routing_key' is invalid")
  demand(isOneOf(action, 'trigger', 'acknowledge', 'resolve'), "'event_action' is invalid")
  demand(isText(dedupKey, 255), "'dedup_key' is invalid")
  demand(isFields(payload) && isOnly(payload, ...payloadFields), "'payload' is invalid")
  const { summary, source, severity, timestamp, custom_details: details = {} } = payload
  demand(isText(summary, 1024), "'payload.summary' is invalid")
  demand(isText(source), "'payload.source' is invalid")
  demand(isOneOf(severity, 'critical', 'error', 'warning', 'info'), "'payload.severity' is invalid")
  demand(isInstant(timestamp), "'payload.timestamp' is invalid")
  demand(isFields(details), "'payload.custom_details' is invalid")
  demand(isLink(event.client_url), "'client_url' is invalid")
  const isLinkList = Array.isArray(links) && links.every((link) => isFields(link) && isLink(link.href))
  demand(isLinkList, "'links' is invalid")
  return {
    message: { routingKey, action, dedupKey, summary, severity, details },
    reply: {
      status: 202,
      body: { status: 'success', message: 'Event processed', dedup_key: dedupKey },
    },
  }
}

export class Pagerduty {
  readonly receiver: HttpReceiver<PagerdutyEvent>

  private constructor(receiver: HttpReceiver<PagerdutyEvent>) {
    this.receiver = receiver
  }

  static async open(): Promise<Pagerduty> {
    return new Pagerduty(await HttpReceiver.open(eventsApi))
  }

  get settings(): Record<string, string> {
    return { PAGERDUTY_URL: this.receiver.url() }
  }

  of(routingKey: string): PagerdutyEvent[] {
    return this.receiver.messages.filter((event) => event.routingKey === routingKey)
  }
}
