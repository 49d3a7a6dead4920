// incident.io, HTTP alert source; the bearer token is in the user's headers.
import { messageFacts } from '../../message/message-facts.ts'
import { oneLine } from '../../message/plain-text.ts'
import { isOver } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

export const incidentioBody: WebhookBody = (message) => ({
  title: oneLine(message.title, 500),
  status: isOver(message) ? 'resolved' : 'firing',
  deduplication_key: message.dedupKey,
  description: [
    reasonOf(message),
    ...messageFacts(message).map(({ name, value }) => `${name}: ${value}`),
  ].join('\n'),
  source_url: message.resultLink,
  metadata: {
    alertType: message.alertType,
    checkId: message.checkId,
    checkName: message.checkName,
    checkType: message.checkType,
    group: message.groupName,
    location: message.locationText,
    tags: message.tags,
  },
})
