// The requirements of the tools behind prepared webhooks, and how each of them marks the begin and the end of a problem.
import { channelDefinitions } from '@vedette/contracts'
import { type Fields, isFields, isInstant, isLink, isOneOf, isText } from './demands.ts'
import type { WebhookMessage } from './webhook.ts'

export const webhookTypes = channelDefinitions.WEBHOOK.config.shape.webhookType.unwrap().unwrap().options

export type WebhookType = (typeof webhookTypes)[number]

export interface ReceivedAlert {
  title: string
  /** Null if the tool has no such field. */
  isOver: boolean | null
  /** Identifies the same problem when it opens and closes; null if the tool only shows messages. */
  key: string | null
}

/** Throws if the tool would refuse the message. */
export function readWebhookFormat(type: WebhookType, message: WebhookMessage): ReceivedAlert {
  return formats[type](message)
}

const formats: Record<WebhookType, (message: WebhookMessage) => ReceivedAlert> = {
  WEBHOOK_MSTEAMS(message) {
    const { type, attachments } = jsonOf(message)
    demand(type === 'message' && Array.isArray(attachments) && attachments.length === 1, 'one attachment')
    const [{ contentType, content }] = attachments as [Fields]
    demand(contentType === 'application/vnd.microsoft.card.adaptive' && isFields(content), 'an adaptive card')
    const { type: cardType, version, body, actions } = content
    demand(cardType === 'AdaptiveCard' && version === '1.4', 'version 1.4')
    demand(Array.isArray(body) && body.length > 0 && body.every(isFields), 'a body')
    demand(
      Array.isArray(actions) && actions.every((action) => isFields(action) && isLink(action.url)),
      'actions',
    )
    const [heading] = body as [Fields]
    demand(heading.type === 'TextBlock' && isText(heading.text), 'a heading')
    // Cards use Markdown.
    return { title: heading.text.replace(/\\(.)/g, '$1'), isOver: null, key: null }
  },
  WEBHOOK_DISCORD(message) {
    const { embeds, allowed_mentions: mentions } = jsonOf(message)
    demand(isFields(mentions) && Array.isArray(mentions.parse) && mentions.parse.length === 0, 'no mentions')
    demand(Array.isArray(embeds) && embeds.length === 1 && isFields(embeds[0]), 'one embed')
    const { title, description, url, color, timestamp, fields } = embeds[0]
    demand(isText(title, 256) && isText(description, 4096) && isLink(url), 'title, description and url')
    demand(Number.isInteger(color) && isInstant(timestamp), 'color and time')
    demand(Array.isArray(fields) && fields.length <= 25, 'at most 25 fields')
    for (const field of fields)
      demand(isFields(field) && isText(field.name, 256) && isText(field.value, 1024), 'fields')
    demand(JSON.stringify(embeds).length <= 6000, 'at most 6000 characters')
    return { title, isOver: null, key: null }
  },
  WEBHOOK_TELEGRAM({ headers, text, query }) {
    demand(/^application\/x-www-form-urlencoded/.test(headers['content-type'] ?? ''), 'a form')
    const form = Object.fromEntries(new URLSearchParams(text))
    demand(isText(form.chat_id ?? query.chat_id), 'a chat')
    demand(form.parse_mode === 'HTML' && isText(form.text, 4096), 'HTML')
    const [, title] = /^<b>([^<>]+)<\/b>\n/.exec(form.text) ?? []
    demand(title !== undefined, 'a bold title')
    demand(!/<(?!\/?b>|a href="[^"<>]*">|\/a>)/.test(form.text), 'no tags but its own')
    return { title: title.replaceAll('&quot;', '"'), isOver: null, key: null }
  },
  WEBHOOK_INCIDENTIO(message) {
    const { title, status, deduplication_key: key, source_url: link, metadata } = jsonOf(message)
    demand(isText(title) && isText(key) && isLink(link) && isFields(metadata), 'title, key, link, metadata')
    demand(isOneOf(status, 'firing', 'resolved'), 'status')
    return { title, isOver: status === 'resolved', key }
  },
  WEBHOOK_FIREHYDRANT(message) {
    const { summary, body, level, status, idempotency_key: key, links, tags } = jsonOf(message)
    demand(isText(summary) && isText(body) && isText(key), 'summary, body and key')
    demand(isOneOf(level, 'INFO', 'WARN', 'ERROR', 'FATAL') && isOneOf(status, 'OPEN', 'CLOSED'), 'status')
    demand(Array.isArray(links) && Array.isArray(tags), 'links and tags')
    return { title: summary, isOver: status === 'CLOSED', key }
  },
  WEBHOOK_GITLAB_ALERT(message) {
    const { title, start_time: start, end_time: end, severity, fingerprint } = jsonOf(message)
    demand(isText(title, 200) && isText(fingerprint) && isInstant(start), 'title, fingerprint and start')
    demand(isOneOf(severity, 'critical', 'high', 'medium', 'low', 'info', 'unknown'), 'severity')
    demand(end === undefined || isInstant(end), 'an end that is a time')
    return { title, isOver: end !== undefined, key: fingerprint }
  },
  WEBHOOK_ILERT(message) {
    const { eventType, alertKey, summary, priority } = jsonOf(message)
    demand(isOneOf(eventType, 'ALERT', 'ACCEPT', 'RESOLVE') && isOneOf(priority, 'HIGH', 'LOW'), 'event type')
    demand(isText(summary) && isText(alertKey), 'summary and key')
    return { title: summary, isOver: eventType === 'RESOLVE', key: alertKey }
  },
  WEBHOOK_ROOTLY(message) {
    const { title, status, external_id: key } = jsonOf(message)
    demand(isText(title) && isText(key) && isOneOf(status, 'triggered', 'resolved'), 'title, id and status')
    return { title, isOver: status === 'resolved', key }
  },
  WEBHOOK_SPIKESH(message) {
    const { ALERT_TITLE: title, STATUS: status, DEDUP_KEY: key } = jsonOf(message)
    demand(isText(title) && isText(key) && isOneOf(status, 'OPEN', 'RESOLVED'), 'title, key and status')
    return { title, isOver: status === 'RESOLVED', key }
  },
  WEBHOOK_SPLUNK(message) {
    const { message_type: type, entity_id: key, entity_display_name: title, state_message } = jsonOf(message)
    demand(isOneOf(type, 'CRITICAL', 'WARNING', 'ACKNOWLEDGEMENT', 'INFO', 'RECOVERY'), 'message type')
    demand(isText(key) && isText(title) && isText(state_message), 'entity and message')
    return { title, isOver: type === 'RECOVERY', key }
  },
  WEBHOOK_CORALOGIX({ body }) {
    demand(Array.isArray(body) && body.length === 1 && isFields(body[0]), 'a list of one')
    const { applicationName, subsystemName, severity, timestamp, text } = body[0]
    demand(isText(applicationName) && isText(subsystemName), 'application and subsystem')
    demand(Number.isInteger(severity) && [1, 2, 3, 4, 5, 6].includes(severity as number), 'severity')
    demand(Number.isInteger(timestamp) && isFields(text) && isText(text.ALERT_TITLE), 'time and text')
    return { title: text.ALERT_TITLE, isOver: null, key: null }
  },
}

function jsonOf({ body, method }: WebhookMessage): Fields {
  demand(method === 'POST' && isFields(body), 'a JSON object')
  return body
}

function demand(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(`must have: ${words}`)
}
