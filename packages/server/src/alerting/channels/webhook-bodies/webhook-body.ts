// The body for a webhook type, used if the user has no template.
import type { AlertMessage } from '../../message/message.ts'

/** Pure. Objects and lists are sent as JSON, URLSearchParams as a form. */
export type WebhookBody = (
  message: AlertMessage,
  variables: Readonly<Record<string, string>>,
) => object | URLSearchParams
