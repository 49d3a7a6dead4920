// A phone call that reads the alert aloud, twice.
import { escapeMarkup } from '@vedette/safeguards/markup'
import { cut } from '../message/plain-text.ts'
import { reasonOf } from '../message/wording.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { twilioCall } from './twilio-call.ts'

/** The API accepts 4000 characters, and escaping turns a quotation mark into six. */
const maxTitleChars = 180
const maxReasonChars = 130

export const callChannel: Channel<ConfigOf<'CALL'>> = {
  render(message, { number }, { settings }) {
    const title = escapeMarkup(cut(message.title, maxTitleChars))
    const reason = escapeMarkup(cut(reasonOf(message), maxReasonChars))
    const say = `<Say>Vedette. ${title}. ${reason}</Say>`
    const twiml = `<?xml version="1.0" encoding="UTF-8"?><Response>${say}<Pause length="1"/>${say}</Response>`
    return [{ key: number, http: twilioCall(settings, 'Calls', number, { Twiml: twiml }) }]
  },
}
