// Spike accepts any JSON, and finds title and id by the user's rules: hence all variables by name.
import { messageVariables } from '../../message/message-variables.ts'
import { isOver } from '../../message/severity.ts'
import type { WebhookBody } from './webhook-body.ts'

export const spikeshBody: WebhookBody = (message) => {
  const { $UUID, $RANDOM_NUMBER, ...variables } = messageVariables(message)
  return { ...variables, STATUS: isOver(message) ? 'RESOLVED' : 'OPEN', DEDUP_KEY: message.dedupKey }
}
