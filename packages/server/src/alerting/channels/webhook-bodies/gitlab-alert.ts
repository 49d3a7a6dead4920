// GitLab, HTTP alert endpoint: an end time closes the alert of the same fingerprint.
import { cut, oneLine } from '../../message/plain-text.ts'
import { isOver, type Severity, severityOf } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

const severities = { critical: 'critical', warning: 'medium', ok: 'info' } satisfies Record<Severity, string>

export const gitlabAlertBody: WebhookBody = (message) => ({
  title: oneLine(message.title, 200),
  description: cut([reasonOf(message), message.error ?? ''].join('\n').trim(), 1000),
  start_time: message.episodeAt ?? message.startedAt,
  ...(isOver(message) && { end_time: message.startedAt }),
  service: message.checkName,
  monitoring_tool: 'Vedette',
  severity: severities[severityOf(message)],
  fingerprint: message.dedupKey,
  location: message.locationText,
  result_link: message.resultLink,
})
