// ilert, event API; the integration key is in the URL.
import { cut, oneLine } from '../../message/plain-text.ts'
import { isOver, severityOf } from '../../message/severity.ts'
import { linkLabel, reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

export const ilertBody: WebhookBody = (message) => ({
  eventType: isOver(message) ? 'RESOLVE' : 'ALERT',
  alertKey: message.dedupKey,
  summary: oneLine(message.title, 500),
  details: cut([reasonOf(message), message.error ?? ''].join('\n').trim(), 8000),
  priority: severityOf(message) === 'critical' ? 'HIGH' : 'LOW',
  links: [{ href: message.resultLink, text: linkLabel(message) }],
  customDetails: {
    alertType: message.alertType,
    checkId: message.checkId,
    checkName: message.checkName,
    location: message.locationText,
    tags: message.tags,
  },
})
