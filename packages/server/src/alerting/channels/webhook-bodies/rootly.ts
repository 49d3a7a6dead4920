// Rootly, generic webhook source: our own fields, for the user's mapping in Rootly.
import { cut, oneLine } from '../../message/plain-text.ts'
import { isOver, severityOf } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

export const rootlyBody: WebhookBody = (message) => ({
  title: oneLine(message.title, 500),
  summary: oneLine(message.title, 500),
  description: cut([reasonOf(message), message.error ?? ''].join('\n').trim(), 8000),
  status: isOver(message) ? 'resolved' : 'triggered',
  external_id: message.dedupKey,
  external_url: message.resultLink,
  severity: severityOf(message),
  started_at: message.episodeAt ?? message.startedAt,
  ended_at: isOver(message) ? message.startedAt : null,
  labels: message.tags,
  alert_type: message.alertType,
  check: { id: message.checkId, name: message.checkName, type: message.checkType },
  location: message.locationText,
})
