// Root-cause analyses of error groups: requested, derived by rules from the evidence of runs, and read when completed.
import { z } from 'zod'
import { addition, HttpUrl, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

/** A closed list: users filter by it, and alerts contain it. */
export const rootCauseClassifications = [
  'CONFIGURATION_ERROR',
  'INFRASTRUCTURE_ERROR',
  'APPLICATION_ERROR',
  'NETWORK_ERROR',
  'DNS_ERROR',
  'CERTIFICATE_ERROR',
  'PERFORMANCE_ERROR',
  'TIMEOUT_ERROR',
  'UNKNOWN_ERROR',
] as const

export type RootCauseClassification = (typeof rootCauseClassifications)[number]

export const maxUserContext = 256

const Artifact = z
  .object({
    name: z.string().describe('HTTP_REQUEST, TIMING_PHASES, DNS_ANSWER, …'),
    type: z.string().describe('REQUEST, TIMINGS, DNS, …'),
  })
  .meta({ id: 'RootCauseArtifact' })

export const RootCause = z
  .object({
    classification: z.enum(rootCauseClassifications),
    userImpact: z.string(),
    rootCause: z.string().describe('Numbers in brackets refer to the evidence, counted from 1'),
    codeFix: z.string().nullable().optional().describe('What to do about it'),
    evidence: z
      .array(z.object({ artifacts: z.array(Artifact), description: z.string() }))
      .nullable()
      .optional(),
    referenceLinks: z
      .array(z.object({ url: HttpUrl, title: z.string() }))
      .nullable()
      .optional()
      .describe('Pages about the results, which open without a login for 30 days'),
  })
  .meta({ id: 'RootCause' })

export type RootCause = z.output<typeof RootCause>

/** As an error group shows it. */
export const GroupAnalysis = z
  .looseObject({
    id: Uuid.optional(),
    created_at: Timestamp.optional(),
    analysis: RootCause.nullable().optional(),
    provider: z.string().nullable().optional(),
    model: z.string().nullable().optional(),
    durationMs: z.number().nullable().optional(),
    userContext: z
      .array(z.object({ text: z.string(), type: z.string() }))
      .nullable()
      .optional(),
  })
  .meta({ id: 'ErrorGroupAnalysis' })

const PendingAnalysis = z
  .object({ id: Uuid, status: z.literal('PENDING') })
  .meta({ id: 'RootCauseAnalysisPending' })

const CompletedAnalysis = z
  .object({
    id: Uuid,
    status: z.literal('COMPLETED'),
    checkType: z.string(),
    provider: z.string().describe('vedette if only rules were used'),
    model: z.string().describe('rules, or the model that worded it'),
    checkId: Uuid.nullable().optional(),
    errorGroupId: Uuid.nullable().optional(),
    testSessionErrorGroupId: addition(Uuid.nullable().optional()),
    durationMs: z.number(),
    created_at: Timestamp,
    analysis: RootCause,
  })
  .meta({ id: 'RootCauseAnalysis' })

const AnalysisRequest = z
  .object({
    userContext: z
      .string()
      .max(maxUserContext)
      .nullable()
      .default('')
      .describe('Additional facts for the analysis'),
  })
  .meta({ id: 'RootCauseAnalysisRequest' })

const tag = 'Root-cause analyses'
const example = { userContext: 'We moved the shop to another data center this morning' }

export const analyzeErrorGroup = route({
  method: 'POST',
  path: '/v1/root-cause-analyses/error-groups/{errorGroupId}',
  tag,
  summary: 'Ask why the failures of an error group happen',
  description: 'Looks at the latest failure of the group.',
  access: 'READ_RUN',
  params: z.object({ errorGroupId: Uuid }),
  body: AnalysisRequest,
  bodyOptional: true,
  status: 202,
  response: PendingAnalysis,
  errors: [402],
  example,
})

export const analyzeTestSessionErrorGroup = route({
  method: 'POST',
  path: '/v1/root-cause-analyses/test-session-error-groups/{testSessionErrorGroupId}',
  tag,
  summary: 'Ask why the failures of an error group of test sessions happen',
  description: 'Looks at the latest failure of the group.',
  access: 'READ_RUN',
  params: z.object({ testSessionErrorGroupId: Uuid }),
  body: AnalysisRequest,
  bodyOptional: true,
  status: 202,
  response: PendingAnalysis,
  errors: [402],
  example,
})

export const getRootCauseAnalysis = route({
  method: 'GET',
  path: '/v1/root-cause-analyses/{id}',
  tag,
  summary: 'Read a root-cause analysis',
  description: "The status is 202 while it isn't completed.",
  access: 'READ_ONLY',
  params: z.object({ id: Uuid }),
  status: 200,
  alternativeStatuses: [202],
  response: z.discriminatedUnion('status', [CompletedAnalysis, PendingAnalysis]),
  documentedResponses: { 200: CompletedAnalysis, 202: PendingAnalysis },
})
