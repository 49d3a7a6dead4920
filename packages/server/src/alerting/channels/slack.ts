// Incoming webhooks of Slack and compatible tools. Slack has no idempotency key: a repeat is a second message.
import { slackMessage } from '../message/slack-message.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { jsonCall } from './json-call.ts'

/** Refusals (invalid_payload, channel_not_found, no_service…) have their own statuses, so the default judge applies. */
export const slackChannel: Channel<ConfigOf<'SLACK'>> = {
  render(message, { url, channel }) {
    const body = { ...(channel ? { channel } : {}), ...slackMessage(message) }
    return [{ key: 'webhook', http: jsonCall(url, body) }]
  },
}
