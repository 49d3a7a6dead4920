import { z } from 'zod'
import { type ChannelDefinition, TemplatedHttpUrl } from '../channel-fields.ts'

export const slackChannel = {
  config: z
    .object({
      url: TemplatedHttpUrl.describe('URL of an incoming webhook; anyone who has it can post'),
      channel: z.string().max(200).nullable().optional(),
    })
    .meta({ id: 'SlackChannelConfig' }),
  secretFields: ['url'],
  example: { url: 'https://hooks.slack.com/services/T000/B000/XXXX', channel: '#ops' },
} as const satisfies ChannelDefinition
