import { z } from 'zod'
import { type ChannelDefinition, ChannelName, PhoneNumber } from '../channel-fields.ts'

export const smsChannel = {
  config: z.object({ name: ChannelName, number: PhoneNumber }).meta({ id: 'SmsChannelConfig' }),
  secretFields: [],
  entitlement: 'SMS_ALERTS',
  example: { name: 'On call', number: '+14155550100' },
} as const satisfies ChannelDefinition
