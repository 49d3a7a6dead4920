// Test sessions of existing command-line clients: bodies and responses as they send and expect them.
import { z } from 'zod'
import { RetryStrategy } from '../checks/retry-strategy.ts'
import { Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { LogicalId, ProjectLogicalId, SharedFile } from '../projects/resources.ts'
import { JobLog, LogLine } from '../results/check-result-detail.ts'
import { CompletionQuery, SessionTarget } from './session-target.ts'
import { TestSessionMetadata, TestSessionTrigger } from './test-sessions.ts'

const tag = 'CLI'

const RunLocation = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('PUBLIC'), region: TestSessionTrigger.shape.runLocation }),
    z.object({
      type: z.literal('PRIVATE'),
      id: Uuid.optional(),
      slugName: TestSessionTrigger.shape.runLocation,
    }),
  ])
  .meta({ id: 'CliRunLocation' })

export type CliRunLocation = z.output<typeof RunLocation>

const SourceInfo = z.object({
  checkRunSuiteId: Uuid.describe('Chosen by the client, the same for all checks: it follows the runs by it'),
  checkRunId: Uuid.optional(),
  updateSnapshots: z.boolean().nullish(),
})

const CheckRunJob = z
  .looseObject({
    logicalId: LogicalId,
    name: z.string(),
    checkType: z.string(),
    filePath: z.string().max(1000).nullish(),
    sourceInfo: SourceInfo,
    testRetryStrategy: RetryStrategy.nullish().describe('Of all checks; null: no retries'),
    group: z.looseObject({}).nullish().describe('The whole group of the check'),
  })
  .describe('A check as it would be deployed; shared files by their indexes')
  .meta({ id: 'CliCheckRunJob' })

export type CliCheckRunJob = z.output<typeof CheckRunJob>

const RepoInfo = TestSessionMetadata.omit({ environment: true }).meta({ id: 'CliRepoInfo' })

const shared = {
  name: TestSessionTrigger.shape.name,
  shouldRecord: z.boolean().default(true),
  runLocation: RunLocation,
  repoInfo: RepoInfo.nullish(),
  environment: z.string().max(2000).nullish(),
  refreshCache: z.boolean().nullish(),
}

const RunChecks = z
  .object({
    ...shared,
    checkRunJobs: z.array(CheckRunJob).min(1).max(1000),
    project: z.object({ logicalId: ProjectLogicalId }),
    sharedFiles: z.array(SharedFile).max(10_000).default([]),
    streamLogs: z.boolean().nullish(),
  })
  .meta({ id: 'CliTestSessionRun' })

export type CliRunRequest = z.output<typeof RunChecks>

const ids = z.record(z.string(), Uuid)

const Started = z
  .object({
    testSessionId: Uuid.optional().describe('Absent if the session is not recorded'),
    testResultIds: ids.optional(),
    sequenceIds: ids,
  })
  .meta({ id: 'CliStartedTestSession' })

const suiteId = '9b1f1c62-6f0e-4d0d-9f5c-4a7d6a1f3b11'
const runId = '3c0a8f0d-2a9e-4d4e-8d53-3f9be2f1a702'

export const runCheckJobs = route({
  method: 'POST',
  path: '/v1/test-sessions/run',
  tag,
  summary: 'Run the checks of a project that need not be deployed',
  description:
    'For command-line clients: they follow the runs over MQTT, at the address of this server. Other clients use ' +
    'POST /v1/test-sessions/drafts. The maps of the response have the logical ids of the checks as keys.',
  // Like creating a check: a check can send the secrets of the account anywhere.
  access: 'READ_WRITE',
  body: RunChecks,
  bodyLimit: 'project',
  status: 202,
  response: Started.extend({ schedulingId: Uuid }).meta({ id: 'CliScheduledTestSession' }),
  errors: [402],
  example: {
    name: 'Shop',
    project: { logicalId: 'shop' },
    runLocation: { type: 'PUBLIC', region: 'eu-central-1' },
    checkRunJobs: [
      {
        logicalId: 'home',
        name: 'Home',
        checkType: 'URL',
        request: { url: 'https://example.com', method: 'GET' },
        sourceInfo: { checkRunSuiteId: suiteId, checkRunId: runId },
      },
    ],
  },
})

export const awaitScheduling = route({
  method: 'GET',
  path: '/v1/test-sessions/scheduling/{schedulingId}/completion',
  tag,
  summary: 'Whether the checks of a test session were scheduled',
  description: 'They are scheduled before POST /v1/test-sessions/run responds, so this never waits.',
  access: 'READ_ONLY',
  params: z.object({ schedulingId: Uuid }),
  query: CompletionQuery,
  status: 200,
  response: z.object({ id: Uuid, status: z.literal('SUCCEEDED') }).meta({ id: 'CliScheduling' }),
})

const TriggerChecks = z
  .object({
    ...shared,
    checkRunSuiteId: Uuid,
    targetTags: SessionTarget.shape.matchTags.nullish(),
    checkId: SessionTarget.shape.checkId.nullish(),
    environmentVariables: TestSessionTrigger.shape.environmentVariables,
    testRetryStrategy: RetryStrategy.nullish(),
  })
  .meta({ id: 'CliTestSessionTrigger' })

export type CliTriggerRequest = z.output<typeof TriggerChecks>

export const triggerForCli = route({
  method: 'POST',
  path: '/next/test-sessions/trigger',
  tag,
  summary: 'Run deployed checks now as a test',
  description:
    'If no check matches: 403, and `errorCode` of the body is ERR_NO_MATCHING_CHECKS. The maps of the response have the ids of ' +
    'the checks as keys.',
  access: 'READ_RUN',
  body: TriggerChecks,
  bodyLimit: 'setting',
  status: 201,
  response: Started.extend({ checks: z.array(z.object({ id: Uuid, name: z.string() })) }).meta({
    id: 'CliTriggeredTestSession',
  }),
  errors: [402],
  example: {
    name: 'Smoke',
    checkRunSuiteId: suiteId,
    runLocation: { type: 'PUBLIC', region: 'eu-central-1' },
    targetTags: [['smoke']],
  },
})

const params = z.object({ testSessionId: Uuid })
const url = z.string().describe('A link that opens without a login')

export const getTestSessionLink = route({
  method: 'GET',
  path: '/next/test-sessions/{testSessionId}/link',
  tag,
  summary: 'A link to a test session',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.object({ link: url }).meta({ id: 'CliTestSessionLink' }),
})

export const getTestResultLinks = route({
  method: 'GET',
  path: '/next/test-sessions/{testSessionId}/results/{testSessionResultId}/links',
  tag,
  summary: 'Links to a result of a test session and its files',
  access: 'READ_ONLY',
  params: params.extend({ testSessionResultId: Uuid }),
  status: 200,
  response: z
    .object({
      testResultLink: url,
      testTraceLinks: z.array(url),
      videoLinks: z.array(url),
      screenshotLinks: z.array(url),
    })
    .meta({ id: 'CliTestResultLinks' }),
})

const assetParams = z.object({
  region: z.string().min(1).max(200).describe('The location of the run'),
  key: z
    .string()
    .max(100)
    .regex(
      /^[0-9a-fA-F-]{36}\/[0-9a-fA-F-]{36}$/,
      'must be the id of a test session, a slash, and that of a result',
    )
    .describe('As the message of the result has it'),
})

export const getLogForCli = route({
  method: 'GET',
  path: '/next/assets/log/{region}/{key}',
  tag,
  summary: 'Read the log of a result of a test session',
  description: 'Per phase for API checks and URL monitors, else one list.',
  access: 'READ_ONLY',
  params: assetParams,
  status: 200,
  response: z.union([z.array(LogLine), JobLog]),
})

export const getRunDataForCli = route({
  method: 'GET',
  path: '/next/assets/check-run-data/{region}/{key}',
  tag,
  summary: 'Read what a run of a test session sent, received and asserted',
  access: 'READ_ONLY',
  params: assetParams,
  status: 200,
  response: z.looseObject({}),
})
