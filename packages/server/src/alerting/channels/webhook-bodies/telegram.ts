// Telegram, sendMessage of a bot: the token is in the URL, the chat in the query or in a variable.
import { escapeMarkup } from '@vedette/safeguards/markup'
import { messageFacts } from '../../message/message-facts.ts'
import { cut } from '../../message/plain-text.ts'
import { linkLabel, reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

/** A message may have 4096 characters; an entity counts as one. */
const maxValueChars = 200

export const telegramBody: WebhookBody = (message, variables) => {
  const facts = messageFacts(message).map(
    ({ name, value }) => `${name}: ${escapeMarkup(cut(value, maxValueChars))}`,
  )
  const text = [
    `<b>${escapeMarkup(message.title)}</b>`,
    escapeMarkup(reasonOf(message)),
    '',
    ...facts,
    '',
    `<a href="${escapeMarkup(message.resultLink)}">${linkLabel(message)}</a>`,
  ].join('\n')
  const chat = variables.TELEGRAM_CHAT_ID
  return new URLSearchParams({ ...(chat && { chat_id: chat }), parse_mode: 'HTML', text })
}
