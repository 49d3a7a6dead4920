import { z } from 'zod'
import { Email } from '../../core/fields.ts'
import type { ChannelDefinition } from '../channel-fields.ts'

const one = z.regexes.email.source.slice(1, -1)
const list = new RegExp(`^\\s*${one}\\s*(,\\s*${one}\\s*)*$`)
const wrong = 'must be an email address, or several separated by commas'

export const emailChannel = {
  config: z
    .object({
      address: z
        .string()
        .max(4000)
        .regex(list, { error: wrong, abort: true })
        .refine((text) => text.split(',').every((part) => Email.safeParse(part.trim()).success), wrong),
    })
    .meta({ id: 'EmailChannelConfig' }),
  secretFields: [],
  example: { address: 'oncall@example.com' },
} as const satisfies ChannelDefinition
