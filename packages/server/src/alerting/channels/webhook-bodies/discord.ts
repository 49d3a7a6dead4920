// Discord: an embed, with mentions switched off whatever a name holds.
import { messageFacts } from '../../message/message-facts.ts'
import { cut, oneLine } from '../../message/plain-text.ts'
import { colourOf } from '../../message/severity.ts'
import { reasonOf } from '../../message/wording.ts'
import type { WebhookBody } from './webhook-body.ts'

/** An embed takes 6000 characters in all, 256 in a title, 1024 in a field. */
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
        color: Number.parseInt(colourOf(message).slice(1), 16),
        timestamp: message.startedAt,
        fields,
      },
    ],
  }
}
