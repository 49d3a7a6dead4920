// Coralogix, single logs: a list with one entry. The key is in the user's headers.
import { messageVariables } from '../../message/message-variables.ts'
import { type Severity, severityOf } from '../../message/severity.ts'
import type { WebhookBody } from './webhook-body.ts'

/** Coralogix severities: info, warning, critical. */
const severities = { ok: 3, warning: 4, critical: 6 } satisfies Record<Severity, number>

export const coralogixBody: WebhookBody = (message) => {
  const { $UUID, $RANDOM_NUMBER, ...variables } = messageVariables(message)
  return [
    {
      applicationName: 'Vedette',
      subsystemName: message.checkType,
      category: message.alertType,
      severity: severities[severityOf(message)],
      timestamp: Date.parse(message.startedAt),
      text: variables,
    },
  ]
}
