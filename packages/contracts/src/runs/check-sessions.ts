import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { addition, PageLink, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { ResultType } from '../results/check-results.ts'
import { ranAtField } from './runs.ts'
import { CompletionQuery, SequenceIds, SessionTarget } from './session-target.ts'

export const runningCheckSessionStatuses = [
  'STARTED',
  'PROGRESS',
  'PROGRESS_FAILED',
  'PROGRESS_DEGRADED',
] as const
export const finalCheckSessionStatuses = ['PASSED', 'FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED'] as const

export type CheckSessionStatus =
  | (typeof runningCheckSessionStatuses)[number]
  | (typeof finalCheckSessionStatuses)[number]

export const runSources = [
  'CLI_DEPLOY',
  'DEPLOYMENT',
  'DEPLOYMENT_CACHE_WARMER',
  'EDITOR',
  'GROUP_RUN_ALL',
  'LEGACY_TRIGGER',
  'SCHEDULER',
  'SCHEDULE_NOW',
  'TEST_NO_RECORD',
  'TEST_RECORD',
  'TRIGGER_NO_RECORD',
  'TRIGGER_RECORD',
  'TRIGGER_API',
] as const

export type RunSource = (typeof runSources)[number]

export const CheckSession = z
  .object({
    checkSessionId: Uuid,
    checkSessionLink: PageLink,
    checkId: Uuid,
    checkType: CheckType,
    name: z.string(),
    status: z.enum([...runningCheckSessionStatuses, ...finalCheckSessionStatuses]),
    startedAt: Timestamp,
    stoppedAt: Timestamp.nullable(),
    timeElapsed: z.number().describe('Milliseconds; until now while the session runs'),
    runLocations: z.array(z.string()),
    runSource: z.enum(runSources).nullable(),
  })
  .meta({ id: 'CheckSession' })

export const CheckSessionResult = z
  .object({
    checkResultId: Uuid,
    checkResultLink: PageLink,
    checkId: Uuid,
    checkType: CheckType,
    name: z.string(),
    runLocation: z.string(),
    ranAt: addition(ranAtField),
    resultType: z.enum(['FINAL', 'ATTEMPT']).nullable(),
    hasErrors: z.boolean(),
    hasFailures: z.boolean(),
    isDegraded: z.boolean(),
    aborted: z.boolean(),
    isCancelled: z.boolean(),
    responseTime: addition(z.number().nullable()),
    startedAt: addition(Timestamp),
    stoppedAt: addition(Timestamp),
  })
  .meta({ id: 'CheckSessionResult' })

export const CheckSessionWithResults = CheckSession.extend({ results: z.array(CheckSessionResult) }).meta({
  id: 'CheckSessionWithResults',
})

export const EndedCheckSession = CheckSessionWithResults.extend({
  status: z.enum(finalCheckSessionStatuses),
  stoppedAt: Timestamp,
}).meta({ id: 'EndedCheckSession' })

// The spec of the first version has longer lists; values that are never sent aren't part of the types.
const firstVersion = {
  runSource: z
    .enum(runSources)
    .meta({ enum: [...runSources, 'SLACK_RERUN'] })
    .nullable(),
  results: z.array(
    CheckSessionResult.extend({ resultType: ResultType.nullable() }).meta({ id: 'CheckSessionResultV1' }),
  ),
}
const { runSource } = firstVersion
const CheckSessionV1 = CheckSession.extend({ runSource }).meta({ id: 'CheckSessionV1' })
const CheckSessionWithResultsV1 = CheckSessionWithResults.extend(firstVersion).meta({
  id: 'CheckSessionWithResultsV1',
})
const EndedCheckSessionV1 = EndedCheckSession.extend(firstVersion).meta({ id: 'EndedCheckSessionV1' })

const TriggerBody = z
  .object({
    target: SessionTarget.optional().describe('Absent: every check that can run'),
    refreshCache: z
      .boolean()
      .default(false)
      .describe('Install dependencies from scratch; suites of browser tests only'),
  })
  .meta({ id: 'CheckSessionTrigger' })

const tag = 'Check sessions'
const params = z.object({ checkSessionId: Uuid })
const trigger = {
  method: 'POST',
  tag,
  summary: 'Run checks now, in all their locations',
  description:
    'One session per matching check. The runs count: they create results, change statuses and send alerts. ' +
    'Deactivated checks, heartbeat monitors and checks without a location are omitted.',
  access: 'READ_RUN',
  body: TriggerBody,
  bodyOptional: true,
  response: z.object({ sessions: z.array(CheckSession) }),
  errors: [402],
  example: { target: { matchTags: [['production', '!flaky'], ['smoke']] } },
} as const
const get = {
  method: 'GET',
  tag,
  summary: 'Read a check session and its results',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: CheckSessionWithResults,
} as const
const completion = {
  method: 'GET',
  tag,
  summary: 'Wait for the end of a check session',
  description: 'Responds when the session is over, or with 408 after maxWaitSeconds: then call again.',
  access: 'READ_ONLY',
  params,
  query: CompletionQuery,
  status: 200,
  response: EndedCheckSession,
  errors: [408],
} as const

// spec §7.3: 200; the later version responds with 201.
export const triggerCheckSessions = route({
  ...trigger,
  path: '/v1/check-sessions/trigger',
  status: 200,
  response: z.object({ sessions: z.array(CheckSessionV1) }),
  deprecated: true,
})
export const triggerCheckSessionsV2 = route({ ...trigger, path: '/v2/check-sessions/trigger', status: 201 })

const v1Note = 'A cancelled session is shown as TIMED_OUT; /v2 distinguishes them.'

export const getCheckSession = route({
  ...get,
  path: '/v1/check-sessions/{checkSessionId}',
  description: v1Note,
  response: CheckSessionWithResultsV1,
  deprecated: true,
})
export const getCheckSessionV2 = route({ ...get, path: '/v2/check-sessions/{checkSessionId}' })

export const awaitCheckSession = route({
  ...completion,
  path: '/v1/check-sessions/{checkSessionId}/completion',
  description: `${completion.description} ${v1Note}`,
  response: EndedCheckSessionV1,
  deprecated: true,
})
export const awaitCheckSessionV2 = route({
  ...completion,
  path: '/v2/check-sessions/{checkSessionId}/completion',
})

export const cancelCheckSession = route({
  method: 'POST',
  path: '/v1/check-sessions/{checkSessionId}/cancel',
  tag,
  summary: 'Cancel the unfinished runs of a check session',
  access: 'READ_RUN',
  params,
  body: z.object({ sequenceId: SequenceIds }),
  bodyOptional: true,
  status: 204,
})

const oneOf = 'send either checkSessionId or testSessionId'

export const cancelSession = route({
  method: 'POST',
  path: '/v1/cancel',
  tag,
  summary: 'Cancel a check session or a test session',
  access: 'READ_RUN',
  body: z
    .object({
      checkSessionId: Uuid.optional(),
      testSessionId: Uuid.optional(),
      sequenceId: SequenceIds,
    })
    .refine(
      ({ checkSessionId, testSessionId }) => (checkSessionId === undefined) !== (testSessionId === undefined),
      { path: ['checkSessionId'], message: oneOf },
    ),
  documentedBody: z.xor([
    z.object({ checkSessionId: Uuid, sequenceId: SequenceIds }),
    z.object({ testSessionId: Uuid, sequenceId: SequenceIds }),
  ]),
  status: 204,
  deprecated: true,
  example: { checkSessionId: '3f0a6d0e-7d0f-4a52-9a55-0a3d4d3f5c21' },
})
