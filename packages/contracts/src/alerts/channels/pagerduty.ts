import { z } from 'zod'
import type { ChannelDefinition } from '../channel-fields.ts'

export const pagerdutyChannel = {
  config: z
    .object({
      account: z.string().max(200).default(''),
      serviceName: z.string().max(200).default(''),
      serviceKey: z.string().min(1).max(1000).describe('The integration key'),
    })
    .meta({ id: 'PagerdutyChannelConfig' }),
  secretFields: ['serviceKey'],
  entitlement: 'ADVANCED_ALERT_CHANNELS',
  example: { account: 'example', serviceName: 'Web', serviceKey: '{{PAGERDUTY_KEY}}' },
} as const satisfies ChannelDefinition
