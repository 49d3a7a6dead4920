import type { ChannelType } from '@vedette/contracts'
import { callChannel } from './call.ts'
import type { Channel, ConfigOf } from './channel.ts'
import { emailChannel } from './email.ts'
import { opsgenieChannel } from './opsgenie.ts'
import { pagerdutyChannel } from './pagerduty.ts'
import { slackChannel } from './slack.ts'
import { slackAppChannel } from './slack-app.ts'
import { smsChannel } from './sms.ts'
import { webhookChannel } from './webhook.ts'

export const channels = {
  EMAIL: emailChannel,
  SLACK: slackChannel,
  SLACK_APP: slackAppChannel,
  WEBHOOK: webhookChannel,
  SMS: smsChannel,
  PAGERDUTY: pagerdutyChannel,
  OPSGENIE: opsgenieChannel,
  CALL: callChannel,
} satisfies { [T in ChannelType]: Channel<ConfigOf<T>> }

/** Stored configs were validated by the contract of their type. */
export function channelOf(type: ChannelType): Channel<Record<string, unknown>> {
  return channels[type]
}
