import { z } from 'zod'
import { CheckType, type CheckTypes, checkTypeNames, definitionOf } from '../checks/index.ts'
import { addition, Timestamp, Uuid } from '../core/fields.ts'
import { CursorQuery, PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds, WindowQuery } from '../core/time-window.ts'
import { failureKinds, failurePhases, ranAtField } from '../runs/runs.ts'

/** Why a run didn't pass; of old runs only kind and message are kept. */
export const CheckResultFailure = z
  .object({
    kind: z.enum(failureKinds),
    message: z.string(),
    phase: z.enum(failurePhases).nullable(),
    address: z.string().nullable(),
    code: z.string().nullable(),
  })
  .meta({ id: 'CheckResultFailure' })

/** choice: the spec also lists ALL, which is only a filter; so the document has it. */
export const ResultType = z.enum(['FINAL', 'ATTEMPT']).meta({ enum: ['FINAL', 'ATTEMPT', 'ALL'] })

type Evidence = Exclude<CheckTypes[CheckType]['result'], null>

/** Evidence by type: the field of the type of the run is set, all others are null. */
export const evidenceFields = Object.fromEntries(
  checkTypeNames.flatMap((type) => {
    const { result } = definitionOf(type)
    return result === null ? [] : [[result.field, result.schema]]
  }),
) as { [E in Evidence as E['field']]: E['schema'] }

export const CheckResult = z
  .object({
    id: Uuid,
    name: z.string().describe('Of the check'),
    checkId: Uuid,
    checkType: addition(CheckType),
    hasFailures: z.boolean(),
    hasErrors: z
      .boolean()
      .describe('An internal error: it counts neither in availability nor in alert thresholds'),
    isDegraded: z.boolean().nullable(),
    isCancelled: z.boolean(),
    overMaxResponseTime: z.boolean().nullable(),
    runLocation: z.string().describe('The requested region, or the slug of the private location'),
    ranAt: addition(ranAtField),
    startedAt: Timestamp.nullable(),
    stoppedAt: Timestamp.nullable(),
    scheduledAt: addition(Timestamp),
    created_at: Timestamp,
    responseTime: z.number().describe('Milliseconds of the measured operation, or until it was aborted'),
    statusCode: addition(z.int().nullable().describe('API checks and URL monitors')),
    metrics: addition(
      z.record(z.string(), z.number().nullable()).describe('What is measured of the check type'),
    ),
    failure: addition(CheckResultFailure.nullable()),
    ...evidenceFields,
    diagnostics: addition(
      z
        .looseObject({})
        .nullable()
        .describe('After a network failure: DNS responses, addresses tried, traceroute'),
    ),
    checkRunId: z.number(),
    attempts: z.int().describe('The number of this attempt within its run'),
    resultType: ResultType,
    sequenceId: Uuid.nullable().describe('The attempts of one run have the same'),
    traceId: z.string().nullable(),
    errorGroupIds: z.array(Uuid).nullable(),
  })
  .meta({ id: 'CheckResult' })

const fieldNames = CheckResult.keyof().options

const filters = {
  location: z.string().max(200).optional().describe('A region, or the slug of a private location'),
  checkType: CheckType.optional(),
  hasFailures: z.boolean().optional(),
  resultType: z.enum(['FINAL', 'ATTEMPT', 'ALL']).default('FINAL'),
}

const tag = 'Check results'
const rateLimit = { limit: 5, seconds: 10 }
const params = z.object({ checkId: Uuid })
const kept = 'The evidence of a run is kept for a shorter time than its result, and is then null.'

export const listCheckResults = route({
  method: 'GET',
  path: '/v1/check-results/{checkId}',
  tag,
  summary: 'List the results of a check in a window of at most 6 hours, latest first',
  description: `Use GET /v2/check-results/{checkId} instead. ${kept}`,
  access: 'READ_ONLY',
  params,
  query: PagedQuery.extend({ ...WindowQuery.shape, ...filters }),
  status: 200,
  response: z.array(CheckResult),
  paged: true,
  errors: [402],
  rateLimit,
  deprecated: true,
})

const cursorQuery = CursorQuery.extend({
  limit: z.int().min(1).max(100).default(10).describe('Entries per page'),
  from: UnixSeconds.optional().describe('Started at this UNIX time in seconds or later'),
  to: UnixSeconds.optional().describe('Started before this UNIX time in seconds'),
  ...filters,
  fields: z.array(z.enum(fieldNames)).optional().describe('Only these fields of each result'),
})

const cursorResponse = z.object({
  length: z.int().describe('The number of entries on this page'),
  entries: z.array(CheckResult.partial().meta({ id: 'CheckResultEntry' })),
  nextId: z.string().nullable().describe('Where the next page begins; null at the end'),
})

export const listAccountResults = route({
  method: 'GET',
  path: '/v2/check-results',
  tag,
  summary: 'List the results of all checks of the account, latest first',
  description: `Results of deleted checks are omitted. ${kept}`,
  access: 'READ_ONLY',
  query: cursorQuery.extend({
    checkId: z.array(Uuid.toLowerCase()).max(100).optional().describe('Only of these checks'),
    tag: z.array(z.string().max(200)).max(100).optional().describe('Only of checks with any of these tags'),
  }),
  status: 200,
  response: cursorResponse,
  errors: [402],
  rateLimit,
})

export const listCheckResultsByCursor = route({
  method: 'GET',
  path: '/v2/check-results/{checkId}',
  tag,
  summary: 'List the results of a check, latest first',
  description: kept,
  access: 'READ_ONLY',
  params,
  query: cursorQuery,
  status: 200,
  response: cursorResponse,
  errors: [402],
  rateLimit,
})

export const getCheckResult = route({
  method: 'GET',
  path: '/v1/check-results/{checkId}/{checkResultId}',
  tag,
  summary: 'Read a result with all its evidence',
  description: kept,
  access: 'READ_ONLY',
  params: params.extend({ checkResultId: Uuid }),
  status: 200,
  response: CheckResult,
})
