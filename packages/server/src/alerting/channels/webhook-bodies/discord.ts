// Discord: an embed with mentions disabled.
import { messageFacts } from '../../message/message-facts.ts'
import { cut, oneLine } from '../../message/plain-text.ts'
import { colorOf } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

/** Limits of an embed: 6000 characters in total, 256 per title, 1024 per field. */
const maxFieldChars = 300

export const discordBody: WebhookBody = (message) => {
  const fields = messageFacts(message).map(({ name, value }) => ({
    name,
    value: cut(value, maxFieldChars),
    inline: name !== 'Error' && value.length <= 40,
  }))
  return {
    username: 'Vedette',
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: oneLine(message.title, 256),
        description: reasonOf(message),
        url: message.resultLink,
        color: Number.parseInt(colorOf(message).slice(1), 16),
        timestamp: message.startedAt,
        fields,
      },
    ],
  }
}
