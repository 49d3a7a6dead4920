import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { RetryStrategy } from '../checks/retry-strategy.ts'
import { addition, PageLink, Timestamp, Uuid, VariableKey } from '../core/fields.ts'
import { CursorQuery, cursorPage } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { BoundProject } from '../projects/project-binding.ts'
import { ranAtField } from './runs.ts'
import { CompletionQuery, SequenceIds, SessionTarget } from './session-target.ts'

export const testSessionStatuses = ['RUNNING', 'FAILED', 'PASSED', 'CANCELLED'] as const
const Status = z.enum(testSessionStatuses)
const FinalStatus = z.enum(['FAILED', 'PASSED', 'CANCELLED'])
export const testSessionProviders = ['GITHUB', 'VERCEL', 'API', 'TRIGGER', 'PW_REPORTER'] as const

const text = z.string().max(2000)
const detailText = text.nullable().optional()

const GitHubMetadata = z
  .object({
    reporting: z.boolean(),
    repository: detailText,
    sha: detailText,
    runId: detailText,
    runAttempt: detailText,
    workflow: detailText,
    job: detailText,
    eventName: detailText,
    ref: detailText,
    headRef: detailText,
    baseRef: detailText,
    serverUrl: detailText,
  })
  .meta({ id: 'TestSessionGitHubMetadata' })

export type TestSessionMetadata = z.output<typeof TestSessionMetadata>

export const TestSessionMetadata = z
  .object({
    environment: text.optional(),
    repoUrl: detailText,
    commitId: detailText,
    commitOwner: detailText,
    commitMessage: z.string().max(20_000).nullable().optional(),
    branchName: detailText,
    github: GitHubMetadata.optional(),
  })
  .meta({ id: 'TestSessionMetadata' })

const resultFields = {
  testSessionResultId: Uuid,
  testSessionResultLink: PageLink,
  checkId: Uuid.nullable(),
  checkType: CheckType,
  name: z.string(),
  runLocation: z.string(),
  ranAt: addition(ranAtField),
  errorGroupIds: z.array(Uuid),
  resultType: z.enum(['FINAL', 'ATTEMPT', 'PENDING']),
  status: Status,
  hasErrors: z.boolean(),
  hasFailures: z.boolean(),
  isDegraded: z.boolean(),
  aborted: z.boolean(),
  responseTime: z.number().nullable(),
  startedAt: Timestamp.nullable(),
  stoppedAt: Timestamp.nullable(),
}

export const TestSessionResult = z.object(resultFields).meta({ id: 'TestSessionResult' })

const project = {
  project: addition(
    BoundProject.nullable().describe(
      "Null: its checks aren't those of a project, or the project isn't deployed",
    ),
  ),
}

export const TestSession = z
  .object({
    testSessionId: Uuid,
    testSessionLink: PageLink,
    name: z.string(),
    status: Status,
    errorGroupIds: z.array(Uuid),
    startedAt: Timestamp,
    stoppedAt: Timestamp.nullable(),
    timeElapsed: z.number().describe('Milliseconds; until now while the session runs'),
    metadata: TestSessionMetadata,
    ...project,
    results: z.array(TestSessionResult),
  })
  .meta({ id: 'TestSession' })

export const EndedTestSession = TestSession.extend({ status: FinalStatus, stoppedAt: Timestamp }).meta({
  id: 'EndedTestSession',
})

export const TestSessionEntry = z
  .object({
    id: Uuid,
    accountId: Uuid,
    projectId: Uuid.nullable(),
    ...project,
    name: z.string(),
    provider: z.enum(testSessionProviders),
    errorGroupIds: z.array(Uuid),
    running: z.array(Uuid).describe('Sequence ids of the runs'),
    passed: z.array(Uuid),
    failed: z.array(Uuid),
    cancelled: z.array(Uuid),
    status: Status,
    region: z.string().describe('The data-center location, or the slug of the private one'),
    privateLocationId: Uuid.nullable(),
    invoker: z.object({ name: z.string(), picture: z.string().nullable() }).nullable(),
    repoUrl: z.string().nullable(),
    commitId: z.string().nullable(),
    commitOwner: z.string().nullable(),
    commitMessage: z.string().nullable(),
    branchName: z.string().nullable(),
    environment: z.string().nullable(),
    startedAt: Timestamp,
    stoppedAt: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'TestSessionEntry' })

const SessionVariable = z
  .object({
    key: VariableKey,
    value: z.string().max(100_000).nullable(),
    locked: z.boolean().default(false),
    secret: z.boolean().default(false),
  })
  .meta({ id: 'TestSessionVariable' })

export const TestSessionTrigger = z
  .object({
    name: z.string().min(1).max(500),
    runLocation: z.string().min(1).max(200).describe('A data-center location or the slug of a private one'),
    target: SessionTarget.extend({
      allowDeactivated: z.boolean().default(false).describe('Run deactivated checks too'),
    }).optional(),
    environmentVariables: z
      .array(SessionVariable)
      .max(50)
      .default([])
      .describe('Take precedence over the variables of the checks'),
    retryStrategy: RetryStrategy.nullable()
      .default(null)
      .describe('Used instead of those of the checks; null: no retries'),
    refreshCache: z.boolean().default(false),
    metadata: TestSessionMetadata.default({}),
  })
  .meta({ id: 'TestSessionTrigger' })

export type TestSessionRequest = z.output<typeof TestSessionTrigger>

const tag = 'Test sessions'
const params = z.object({ testSessionId: Uuid })
const list = <T extends z.ZodType>(item: T) => z.array(item).max(100).optional()

export const listTestSessions = route({
  method: 'GET',
  path: '/v1/test-sessions',
  tag,
  summary: 'List test sessions, the latest first',
  access: 'READ_ONLY',
  query: CursorQuery.extend({
    from: UnixSeconds.optional().describe('Started at this UNIX time or later'),
    to: UnixSeconds.optional().describe('Started before this UNIX time'),
    statuses: list(Status),
    branches: list(text),
    users: list(Uuid).describe('Ids of the users who started them'),
    noUsers: z.boolean().optional().describe('Also, or only, those that no user started'),
    providers: list(z.enum(testSessionProviders)),
    textSearch: text.optional().describe('In names, branches, commits and their messages'),
    errorGroupId: Uuid.optional(),
  }),
  status: 200,
  response: cursorPage(TestSessionEntry),
  errors: [402],
})

export const triggerTestSession = route({
  method: 'POST',
  path: '/v1/test-sessions/trigger',
  tag,
  summary: 'Run checks now as a test: no alerts, and nothing in their results',
  access: 'READ_RUN',
  body: TestSessionTrigger,
  bodyLimit: 'setting',
  status: 201,
  response: TestSession,
  errors: [402],
  example: {
    name: 'Before the release',
    runLocation: 'eu-central-1',
    target: { matchTags: [['smoke']] },
    environmentVariables: [{ key: 'SHOP_URL', value: 'https://staging.example.com' }],
    metadata: { environment: 'staging', branchName: 'main' },
  },
})

export const getTestSession = route({
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}',
  tag,
  summary: 'Read a test session and its results',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: TestSession,
})

export const awaitTestSession = route({
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/completion',
  tag,
  summary: 'Wait for the end of a test session',
  description: 'Responds when the session is over, or with 408 after maxWaitSeconds: then call again.',
  access: 'READ_ONLY',
  params,
  query: CompletionQuery,
  status: 200,
  response: EndedTestSession,
  errors: [408],
})

export const cancelTestSession = route({
  method: 'POST',
  path: '/v1/test-sessions/{testSessionId}/cancel',
  tag,
  summary: 'Cancel the unfinished runs of a test session',
  access: 'READ_RUN',
  params,
  body: z.object({ sequenceId: SequenceIds }),
  bodyOptional: true,
  status: 204,
})
