import { z } from 'zod'
import { addition } from './fields.ts'

/** What an account can switch; settings that we don't know are kept as they are. */
const UnknownSetting = z.union([z.boolean(), z.number(), z.string().max(1000), z.null()])

export const AccountSettings = z
  .object({
    allowBadges: z.boolean().default(true).describe('Whether status badges answer'),
    tracing: z.boolean().default(false),
    automaticRootCauseAnalysis: addition(
      z.boolean().default(false).describe('Whether each new error group is analysed without being asked'),
    ),
  })
  .catchall(UnknownSetting)
  .meta({ id: 'AccountSettings' })

export const AccountSettingsUpdate = z
  .object({
    allowBadges: z.boolean().optional(),
    tracing: z.boolean().optional(),
    automaticRootCauseAnalysis: z.boolean().optional(),
  })
  .catchall(UnknownSetting)
  .meta({ id: 'AccountSettingsUpdate' })

/** How many settings an account can hold, known and unknown. */
export const maxAccountSettings = 100

export const defaultAccountSettings = AccountSettings.parse({})
