// FireHydrant, a Signals event.
import { cut, oneLine } from '../../message/plain-text.ts'
import { isOver, type Severity, severityOf } from '../../message/severity.ts'
import { linkLabel, reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

const levels = { critical: 'ERROR', warning: 'WARN', ok: 'INFO' } satisfies Record<Severity, string>

export const firehydrantBody: WebhookBody = (message) => ({
  summary: oneLine(message.title, 500),
  body: cut([reasonOf(message), message.error ?? ''].join('\n').trim(), 8000),
  level: levels[severityOf(message)],
  status: isOver(message) ? 'CLOSED' : 'OPEN',
  idempotency_key: message.dedupKey,
  links: [{ href: message.resultLink, text: linkLabel(message) }],
  tags: message.tags,
  annotations: {
    'vedette/alert-type': message.alertType,
    'vedette/check-id': message.checkId,
    'vedette/check': message.checkName,
    'vedette/location': message.locationText,
  },
})
