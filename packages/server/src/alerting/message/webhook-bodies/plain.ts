// For who reads JSON of any shape: all that is known.
import { severityOf } from '../severity.ts'
import { reasonOf } from '../wording.ts'
import type { WebhookBody } from './webhook-body.ts'

export const plainBody: WebhookBody = (message) => ({
  ...message,
  severity: severityOf(message),
  reason: reasonOf(message),
})
