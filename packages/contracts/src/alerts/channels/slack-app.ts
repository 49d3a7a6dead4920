import { z } from 'zod'
import type { ChannelDefinition } from '../channel-fields.ts'

const SlackTarget = z
  .string()
  .max(200)
  .regex(/^([#@]\S+|[CDGUW][A-Z0-9]{6,})$/, 'must be a #channel, a @user or a Slack id')

export const slackAppChannel = {
  config: z
    .object({ slackChannels: z.array(SlackTarget).min(1).max(100) })
    .meta({ id: 'SlackAppChannelConfig' }),
  secretFields: [],
  example: { slackChannels: ['#ops', '@dana'] },
} as const satisfies ChannelDefinition
