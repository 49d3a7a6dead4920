// The Slack app of the operator or the account: one message per Slack channel or person. Slack has no idempotency key.
import { oneLine } from '../message/plain-text.ts'
import { slackMessage } from '../message/slack-message.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { jsonCall } from './json-call.ts'
import { DeliveryError } from './transport/delivery-error.ts'
import type { HttpResponse } from './transport/http.ts'
import { judgeResponse } from './transport/judge-response.ts'

export const slackAppChannel: Channel<ConfigOf<'SLACK_APP'>> = {
  render(message, { slackChannels }, { settings, variables }) {
    const token = variables.SLACK_BOT_TOKEN || settings.slackBotToken
    if (!token) {
      throw new DeliveryError(
        'No Slack bot token is set. Create a variable named SLACK_BOT_TOKEN, or ask the operator to set it.',
        { permanent: true },
      )
    }
    const headers = { authorization: `Bearer ${oneLine(token, 4000)}` }
    const url = `${settings.slackApiUrl}/chat.postMessage`
    const content = slackMessage(message)
    return [...new Set(slackChannels)].map((channel) => ({
      key: channel,
      http: jsonCall(url, { channel, unfurl_links: false, ...content }, headers),
    }))
  },
  judge(response) {
    return judgeResponse(response) ?? judgeBody(response)
  },
}

/** Any other error (channel_not_found, not_in_channel, invalid_auth…) is permanent. */
const transientErrors = new Set([
  'ratelimited',
  'rate_limited',
  'message_limit_exceeded',
  'fatal_error',
  'internal_error',
  'service_unavailable',
  'request_timeout',
])

const advice: Record<string, string> = {
  channel_not_found: "Correct the Slack channel in the alert channel's settings.",
  is_archived: "Choose another Slack channel in the alert channel's settings.",
  not_in_channel: 'Invite the app to the Slack channel.',
  invalid_auth: 'Replace SLACK_BOT_TOKEN with a valid token.',
  token_revoked: 'Replace SLACK_BOT_TOKEN with a valid token.',
}

function adviceOf(error: string): string {
  return Object.hasOwn(advice, error) ? ` ${advice[error]}` : ''
}

/** Slack refuses messages with status 200. */
function judgeBody({ body }: HttpResponse): DeliveryError | null {
  const { ok, error } = readBody(body)
  if (ok === true) return null
  if (typeof error !== 'string')
    return new DeliveryError(
      "The response isn't one that Slack sends. Ask the operator to check SLACK_API_URL.",
      { permanent: false },
    )
  return new DeliveryError(
    `Slack refused the message with the error ${oneLine(error, 200)}.${adviceOf(error)}`,
    {
      permanent: !transientErrors.has(error),
      rateLimited: error === 'ratelimited' || error === 'rate_limited',
    },
  )
}

function readBody(body: string): { ok?: unknown; error?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}
