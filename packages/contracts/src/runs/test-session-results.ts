import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { JobLog, LogLine } from '../results/check-result-detail.ts'
import { CheckResult, evidenceFields } from '../results/check-results.ts'
import { AssetManifest, AssetQuery, fileResponse, resultAssets } from '../results/result-assets.ts'
import { TestSessionResult } from './test-sessions.ts'

export const TestSessionResultDetail = TestSessionResult.extend({
  ...CheckResult.pick({ failure: true, diagnostics: true }).shape,
  ...evidenceFields,
  id: Uuid,
  privateLocationId: Uuid.nullable(),
  filePath: z.string().nullable(),
  isCancelled: z.boolean(),
  overMaxResponseTime: z.boolean(),
  attempts: z.int().min(0).describe('The number of this attempt within its run; 0: none was made yet'),
  sequenceId: Uuid.nullable().describe('The attempts of one run have the same'),
  scheduleError: z.string().nullable().describe('Why there was no run'),
  traceId: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp.nullable(),
}).meta({ id: 'TestSessionResultDetail' })

const tag = 'Test sessions'
const params = z.object({ testSessionId: Uuid, testSessionResultId: Uuid })
const folder = '/v1/assets/test-session-results/{testSessionId}/{testSessionResultId}'

export const getTestSessionResult = route({
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/results/{testSessionResultId}',
  tag,
  summary: 'Read a result of a test session with all its evidence',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: TestSessionResultDetail,
})

export const listTestSessionResultAssets = route({
  method: 'GET',
  path: '/v1/test-sessions/{testSessionId}/results/{testSessionResultId}/assets',
  tag,
  summary: 'List the files of a result of a test session',
  access: 'READ_ONLY',
  params,
  query: AssetQuery,
  status: 200,
  response: AssetManifest,
})

export const getTestSessionResultLog = route({
  method: 'GET',
  path: `${folder}/${resultAssets.log.name}`,
  tag,
  summary: 'Read the log of a result of a test session',
  description: 'Per phase for API checks and URL monitors, else one list.',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.union([z.array(LogLine), JobLog]),
})

export const getTestSessionResultRunData = route({
  method: 'GET',
  path: `${folder}/${resultAssets.runData.name}`,
  tag,
  summary: 'Read what a run of a test session sent, received and asserted',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.looseObject({}),
})

export const getTestSessionResultCapture = route({
  method: 'GET',
  path: `${folder}/${resultAssets.capture.name}`,
  tag,
  summary: 'Read the packet capture of a failed run of a test session',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.instanceof(Uint8Array).meta({ type: 'string', format: 'binary' }),
  contentType: resultAssets.capture.contentType,
})

export const getTestSessionResultFile = route({
  method: 'GET',
  path: `${folder}/files/{artifactId}`,
  tag,
  summary: 'Read a file of a run of a test session',
  description: 'Supports range requests. The content type is that of the file.',
  access: 'READ_ONLY',
  params: params.extend({ artifactId: Uuid }),
  ...fileResponse,
})
