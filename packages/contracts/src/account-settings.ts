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
    resultLinks: addition(
      z
        .boolean()
        .default(true)
        .describe(
          'Whether the links in alerts, sessions and analyses open a page without a login. While it is false, each of them, also ' +
            'those sent before, opens a page that says so.',
        ),
    ),
  })
  .catchall(UnknownSetting)
  .meta({ id: 'AccountSettings' })

export const AccountSettingsUpdate = z
  .object({
    allowBadges: z.boolean().optional(),
    tracing: z.boolean().optional(),
    automaticRootCauseAnalysis: z.boolean().optional(),
    resultLinks: z.boolean().optional(),
  })
  .catchall(UnknownSetting)
  .meta({ id: 'AccountSettingsUpdate' })

/** How many settings an account can hold, known and unknown. */
export const maxAccountSettings = 100

export const defaultAccountSettings = AccountSettings.parse({})
