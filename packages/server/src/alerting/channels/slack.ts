// Slack's incoming webhooks (and what speaks like them). Slack knows no idempotency key: a repeat is a second message.
import { slackMessage } from '../message/slack-message.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { jsonCall } from './json-call.ts'

/** Refusals (invalid_payload, channel_not_found, no_service…) come with statuses of their own: judged by them. */
export const slackChannel: Channel<ConfigOf<'SLACK'>> = {
  render(message, { url, channel }) {
    const body = { ...(channel ? { channel } : {}), ...slackMessage(message) }
    return [{ key: 'webhook', http: jsonCall(url, body) }]
  },
}
