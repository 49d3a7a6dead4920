// Spike: takes any JSON, and finds title and id in it by rules of the user; hence the variables by their names.
import { messageVariables } from '../../message/message-variables.ts'
import { isOver } from '../../message/severity.ts'
import type { WebhookBody } from './webhook-body.ts'

export const spikeshBody: WebhookBody = (message) => {
  const { $UUID, $RANDOM_NUMBER, ...variables } = messageVariables(message)
  return { ...variables, STATUS: isOver(message) ? 'RESOLVED' : 'OPEN', DEDUP_KEY: message.dedupKey }
}
