// The generic JSON body: the whole message.
import { severityOf } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

export const plainBody: WebhookBody = (message) => ({
  ...message,
  severity: severityOf(message),
  reason: reasonOf(message),
})
