import { z } from 'zod'
import type { ChannelDefinition } from '../channel-fields.ts'
import { Email } from '../fields.ts'

export const emailChannel = {
  config: z
    .object({
      address: z
        .string()
        .max(4000)
        .refine(
          (list) => list.split(',').every((address) => Email.safeParse(address.trim()).success),
          'must be an e-mail address, or several separated by commas',
        ),
    })
    .meta({ id: 'EmailChannelConfig' }),
  secretFields: [],
  example: { address: 'oncall@example.com' },
} as const satisfies ChannelDefinition
