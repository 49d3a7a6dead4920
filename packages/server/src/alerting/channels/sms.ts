// A text message.
import type { AlertMessage } from '../message/message.ts'
import { cut } from '../message/plain-text.ts'
import { reasonOf } from '../message/wording.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { twilioCall } from './twilio-call.ts'

export const smsChannel: Channel<ConfigOf<'SMS'>> = {
  render(message, { number }, { settings }) {
    const http = twilioCall(settings, 'Messages', number, { Body: smsText(message) })
    return [{ key: number, http }]
  },
}

const maxChars = 320
const maxTitleChars = 120

/** Shortens the reason first. A link that doesn't fit is left out, because a truncated link is useless. */
function smsText(message: AlertMessage): string {
  const title = cut(message.title, maxTitleChars)
  const link = message.resultLink.length <= maxChars - maxTitleChars - 2 ? `\n${message.resultLink}` : ''
  const reasonChars = maxChars - title.length - link.length - 1
  const reason = reasonChars > 20 ? `\n${cut(reasonOf(message), reasonChars)}` : ''
  return `${title}${reason}${link}`
}
