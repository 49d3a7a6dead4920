// The Slack app of the operator, or of the account: one message per room or person. No idempotency key there either.
import { DeliveryError } from '../delivery/delivery-error.ts'
import { judgeAnswer } from '../delivery/judge-answer.ts'
import { jsonCall } from '../message/json-call.ts'
import { oneLine } from '../message/plain-text.ts'
import { slackMessage } from '../message/slack-message.ts'
import type { Channel, ConfigOf } from './channel.ts'
import type { HttpAnswer } from './http.ts'

export const slackAppChannel: Channel<ConfigOf<'SLACK_APP'>> = {
  render(message, { slackChannels }, { settings, variables }) {
    const token = variables.SLACK_BOT_TOKEN || settings.slackBotToken
    if (!token) {
      throw new DeliveryError('there is no bot token: set SLACK_BOT_TOKEN, or make a variable of this name', {
        permanent: true,
      })
    }
    const headers = { authorization: `Bearer ${oneLine(token, 4000)}` }
    const url = `${settings.slackApiUrl}/chat.postMessage`
    const content = slackMessage(message)
    return [...new Set(slackChannels)].map((channel) => ({
      key: channel,
      http: jsonCall(url, { channel, unfurl_links: false, ...content }, headers),
    }))
  },
  judge(answer) {
    return judgeAnswer(answer) ?? judgeBody(answer)
  },
}

/** What may go away by itself; any other error (channel_not_found, not_in_channel, invalid_auth…) stays. */
const passing = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'fatal_error',
  'internal_error',
  'service_unavailable',
  'request_timeout',
])

/** Slack says no with status 200. */
function judgeBody({ body }: HttpAnswer): DeliveryError | null {
  const { ok, error } = readAnswer(body)
  if (ok === true) return null
  if (typeof error !== 'string')
    return new DeliveryError('did not answer as Slack does', { permanent: false })
  return new DeliveryError(`Slack answered ${oneLine(error, 200)}`, {
    permanent: !passing.has(error),
    rateLimited: error === 'ratelimited' || error === 'rate_limited',
  })
}

function readAnswer(body: string): { ok?: unknown; error?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}
