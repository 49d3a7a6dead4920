// Secret URLs that run checks: they need no key, and aren't part of /v1.
import { z } from 'zod'
import { HttpUrl, SerialId, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

/** How long a response waits for the runs. */
export const triggerWaitSeconds = 30
export const triggerLimit = { limit: 10, seconds: 60 }

const text = z.string().max(500).optional()

const TriggerQuery = z.object({
  deployment: z.boolean().default(false).describe('Record this call as a deployment'),
  repository: text,
  sha: text.describe('Commit, tag or version'),
  environmentUrl: HttpUrl.optional().describe('Replaces scheme and host of what API and URL checks request'),
  environmentName: text,
  deploymentId: text,
  runLocation: z
    .string()
    .max(200)
    .optional()
    .describe('A data-center location or the slug of a private one; absent: the first of the check'),
})

export type TriggerOptions = z.output<typeof TriggerQuery>

const token = z.string().min(1).max(200)

/** Only the outcome, since the caller has no key. */
export const TriggeredCheck = z
  .object({
    hasFailures: z.boolean(),
    responseTime: z.number().optional().describe('Milliseconds; API checks only'),
    message: z
      .string()
      .optional()
      .describe("Set if the run wasn't over in time, so that it counts as failed"),
  })
  .meta({ id: 'TriggeredCheck' })

export const TriggeredCheckGroup = z
  .object({
    hasFailures: z.boolean(),
    results: z.array(TriggeredCheck.extend({ checkId: Uuid })),
  })
  .meta({ id: 'TriggeredCheckGroup' })

const shared = {
  tag: 'Triggers',
  description:
    `Waits for the runs, at most ${triggerWaitSeconds} seconds. 200: all passed; 503: one failed, or wasn't over in time. ` +
    `At most ${triggerLimit.limit} calls a minute.`,
  access: 'public',
  query: TriggerQuery,
  status: 200,
  alternativeStatuses: [503],
} as const

const check = {
  ...shared,
  path: '/checks/{checkId}/trigger/{token}',
  summary: 'Run a check by its trigger URL',
  params: z.object({ checkId: Uuid, token }),
  response: TriggeredCheck,
} as const
const group = {
  ...shared,
  path: '/check-groups/{groupId}/trigger/{token}',
  summary:
    'Run the checks of a group by its trigger URL, in their order and as many at once as its concurrency says',
  params: z.object({ groupId: SerialId, token }),
  response: TriggeredCheckGroup,
} as const

export const callCheckTrigger = route({ ...check, method: 'GET' })
export const postCheckTrigger = route({ ...check, method: 'POST', ignoresBody: true })
export const callCheckGroupTrigger = route({ ...group, method: 'GET' })
export const postCheckGroupTrigger = route({ ...group, method: 'POST', ignoresBody: true })
