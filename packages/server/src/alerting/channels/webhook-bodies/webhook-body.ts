// What a flavour of webhook is: the body that its tool understands, used where the user gave no template.
import type { AlertMessage } from '../../message/message.ts'

/** An object or a list is sent as JSON, parameters as a form. Pure. */
export type WebhookBody = (
  message: AlertMessage,
  variables: Readonly<Record<string, string>>,
) => object | URLSearchParams
