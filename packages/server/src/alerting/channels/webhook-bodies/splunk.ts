// Splunk On-Call, REST endpoint; key and routing are in the URL.
import { cut, oneLine } from '../../message/plain-text.ts'
import { type Severity, severityOf } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

const types = { critical: 'CRITICAL', warning: 'WARNING', ok: 'RECOVERY' } satisfies Record<Severity, string>

export const splunkBody: WebhookBody = (message) => ({
  message_type: types[severityOf(message)],
  entity_id: message.dedupKey,
  entity_display_name: oneLine(message.title, 500),
  state_message: cut([reasonOf(message), message.error ?? ''].join('\n').trim(), 8000),
  state_start_time: Math.floor(Date.parse(message.startedAt) / 1000),
  monitoring_tool: 'Vedette',
  alert_type: message.alertType,
  check_id: message.checkId,
  check_name: message.checkName,
  location: message.locationText,
  result_link: message.resultLink,
  tags: message.tags.join(', '),
})
