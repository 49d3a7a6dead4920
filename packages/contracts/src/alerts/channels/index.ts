// The list of channel types.
import type { ChannelDefinition } from '../channel-fields.ts'
import { callChannel } from './call.ts'
import { emailChannel } from './email.ts'
import { opsgenieChannel } from './opsgenie.ts'
import { pagerdutyChannel } from './pagerduty.ts'
import { slackChannel } from './slack.ts'
import { slackAppChannel } from './slack-app.ts'
import { smsChannel } from './sms.ts'
import { webhookChannel } from './webhook.ts'

export const channelTypes = [
  'EMAIL',
  'SLACK',
  'SLACK_APP',
  'WEBHOOK',
  'SMS',
  'PAGERDUTY',
  'OPSGENIE',
  'CALL',
] as const

export type ChannelType = (typeof channelTypes)[number]

export const channelDefinitions = {
  EMAIL: emailChannel,
  SLACK: slackChannel,
  SLACK_APP: slackAppChannel,
  WEBHOOK: webhookChannel,
  SMS: smsChannel,
  PAGERDUTY: pagerdutyChannel,
  OPSGENIE: opsgenieChannel,
  CALL: callChannel,
} as const satisfies Record<ChannelType, ChannelDefinition>
