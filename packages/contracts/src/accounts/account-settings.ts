import { z } from 'zod'
import { addition, SerialId } from '../core/fields.ts'
import { UnknownAfterMissedRuns } from '../results/check-state.ts'

const NotifyUnknownAfterSeconds = z.int().min(10).max(86_400)
const AgentAlarmChannels = z.array(SerialId).max(100)

/** Settings that this release doesn't know are stored as they are. */
const UnknownSetting = z.union([z.boolean(), z.number(), z.string().max(1000), z.null()])

export const AccountSettings = z
  .object({
    allowBadges: z.boolean().default(true).describe('Whether status badges are served'),
    tracing: z.boolean().default(false),
    automaticRootCauseAnalysis: addition(
      z.boolean().default(false).describe('Whether each new error group is analyzed automatically'),
    ),
    resultLinks: addition(
      z
        .boolean()
        .default(true)
        .describe(
          'Whether the links in alerts, sessions and analyses open a page without a login. While it is false, all of them, ' +
            'including those sent before, open a page that says so.',
        ),
    ),
    showGroupNamesOnBadges: addition(
      z
        .boolean()
        .default(true)
        .describe('Whether the badge of a group shows its name. Ids of groups can be enumerated by anyone'),
    ),
    unknownAfterMissedRuns: addition(
      UnknownAfterMissedRuns.default(3).describe(
        'After how many missed runs in a row the state of a check is unknown, at the earliest after 60 seconds',
      ),
    ),
    notifyUnknownAfterSeconds: addition(
      NotifyUnknownAfterSeconds.default(300).describe(
        'How long checks must be unknown before alert channels are notified',
      ),
    ),
    agentAlarmChannelIds: addition(
      AgentAlarmChannels.default([]).describe(
        'Alert channels that are notified of every location alarm, whatever they are subscribed to',
      ),
    ),
  })
  .catchall(UnknownSetting)
  .meta({ id: 'AccountSettings' })

export type AccountSettings = z.output<typeof AccountSettings>

export const AccountSettingsUpdate = z
  .object({
    allowBadges: z.boolean().optional(),
    tracing: z.boolean().optional(),
    automaticRootCauseAnalysis: z.boolean().optional(),
    resultLinks: z.boolean().optional(),
    showGroupNamesOnBadges: z.boolean().optional(),
    unknownAfterMissedRuns: UnknownAfterMissedRuns.optional(),
    notifyUnknownAfterSeconds: NotifyUnknownAfterSeconds.optional(),
    agentAlarmChannelIds: AgentAlarmChannels.optional(),
  })
  .catchall(UnknownSetting)
  .meta({ id: 'AccountSettingsUpdate' })

/** The maximum number of settings of an account, known and unknown. */
export const maxAccountSettings = 100

export const defaultAccountSettings = AccountSettings.parse({})
