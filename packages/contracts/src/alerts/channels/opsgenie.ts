import { z } from 'zod'
import { type ChannelDefinition, ChannelName } from '../channel-fields.ts'

export const opsgenieChannel = {
  config: z
    .object({
      name: ChannelName,
      apiKey: z.string().min(1).max(1000),
      // choice: the spec has no defaults; these are those of Opsgenie.
      region: z.enum(['EU', 'US']).default('US'),
      priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']).default('P3'),
    })
    .meta({ id: 'OpsgenieChannelConfig' }),
  secretFields: ['apiKey'],
  entitlement: 'ADVANCED_ALERT_CHANNELS',
  example: { name: 'Web', apiKey: '{{OPSGENIE_KEY}}', region: 'EU', priority: 'P2' },
} as const satisfies ChannelDefinition
