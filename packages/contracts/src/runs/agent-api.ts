// What an agent and a server say to each other. The agent only ever calls, over HTTP(S). `/agent/v1` is the protocol's
// major version: a server serves the one it has and the one before, so agents may be upgraded after their server.
// These routes carry an agent's key, never an API key, and stand in no public document.
import { z } from 'zod'
import { CheckType, type CheckTypes } from '../checks/index.ts'
import { Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { assetTypes } from '../results/result-assets.ts'
import { Failure } from './runs.ts'

export const agentProtocol = 1

/**
 * The types that an agent runs which doesn't say so in its presence. Frozen: those are agents of 0.1.0 or older, which run no
 * type that was added later.
 */
export const defaultAgentTypes: readonly string[] = ['API', 'URL', 'TCP', 'DNS', 'ICMP']

/** A lease is that long, and renewed that often whatever the length of the run. */
export const leaseMs = 30_000
export const renewEveryMs = 10_000

/** The longest that a claim waits for something to do. */
export const maxClaimWaitSeconds = 20

/** At most this much of a body is stored, and a whole detail is no longer than that (characters). */
export const maxStoredBodyBytes = 256 * 1024
export const maxDetailLength = 2_000_000
export const maxResultsPerReport = 500

/** spec §8 */
export const maxArtifactBytes = 150 * 1024 * 1024
export const maxArtifactsPerRun = 200

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')

/** Milliseconds since 1970 by the server's clock: every answer carries them, agents measure their offset by them. */
const serverTime = z.number()

const agentState = z.enum(['running', 'draining'])

/** What an agent says of itself in every call. */
const AgentIdentity = z.object({
  agentId: Uuid.describe('Made anew by each agent process'),
  version: z.string().min(1).max(50),
  agentName: z.string().max(500).optional().describe('For people; agents of older releases send none'),
})

const Script = z.object({ name: z.string(), script: z.string() })

export const JobCertificate = z.object({
  id: Uuid.optional().describe('Absent: from a server of an earlier release'),
  host: z.string(),
  cert: z.string(),
  ca: z.string().nullable(),
  key: z.string(),
  passphrase: z.string().nullable(),
})

/** The fields that only the server uses: when and where a check runs, who is notified, what follows a failure. */
export type ServerOnlyField =
  | 'locations'
  | 'privateLocations'
  | 'alertSettings'
  | 'useGlobalAlertSettings'
  | 'triggerIncident'
  | 'retryStrategy'
  | 'environmentVariables'
  | 'localSetupScript'
  | 'localTearDownScript'

type CheckOf<T extends CheckType> = z.output<CheckTypes[T]['input']>

/** A check as an agent receives it. Fields are optional: a stored check may be older than a setting. */
export type JobCheck = {
  [T in CheckType]: { id?: string; checkType: T; name: string } & Partial<
    Omit<CheckOf<T>, ServerOnlyField | 'checkType' | 'name'>
  >
}[CheckType]

/** Agents trust the rest: parsing a whole check would cost more than many a run. */
const jobCheckShape = z.looseObject({ checkType: CheckType, name: z.string() })

/** One run to be made. Secrets in it are open: it is never written to a disk. */
export const Job = z.object({
  token: z.string().describe('The lease: whatever is said about this run is said with it'),
  runId: Uuid,
  attempt: z.int().min(1),
  resultId: Uuid.describe('What the result of this attempt will be called'),
  checkId: Uuid,
  checkType: CheckType,
  scheduledAt: z.number().describe('The slot, or when an on-demand run was asked for; milliseconds'),
  location: z.string().describe('The region, or the slug of the private location'),
  /** The check with the settings of its group merged in and its locked values open. */
  check: z.custom<JobCheck>((value) => jobCheckShape.safeParse(value).success),
  variables: z.record(z.string(), z.string()).describe('What the check can reach, by precedence'),
  secrets: z.array(z.string()).describe('Values that must not leave the agent'),
  groupBaseUrl: z.string().nullable(),
  environmentUrl: z.string().nullable().describe('Replaces scheme and host of API and URL requests'),
  proxyUrl: z.string().nullable(),
  clientCertificates: z.array(JobCertificate).describe('The newest first'),
  /** In the order in which they run: group then check before, check then group after. */
  setup: z.array(Script),
  teardown: z.array(Script),
  snippets: z.array(Script).describe('Files that scripts can require as ./snippets/<name>'),
  runtimeId: z.string().nullable(),
  source: z.enum(['schedule', 'session', 'test']),
  accountId: Uuid,
  refreshCache: z.boolean().describe('Suites: install from scratch, whatever is cached'),
  /** Agentic checks: what the first run wrote, for this very prompt; null: nothing yet. */
  agenticScript: z
    .object({
      script: z.string(),
      promptHash: z.string(),
      isRepairProposed: z.boolean().describe('A repaired one waits for review: no other is asked for'),
    })
    .nullable(),
})

export type Job = z.output<typeof Job>

export const outcomes = ['passed', 'degraded', 'failed', 'error', 'cancelled'] as const

/** A file that a run left: uploaded before the result that names it is reported. */
export const ReportedArtifact = z.object({
  type: z.enum(assetTypes),
  name: z.string().min(1).max(500),
  contentType: z.string().max(200),
  sizeBytes: z.int().min(0).max(maxArtifactBytes),
  sha256: Sha256,
})

export type ReportedArtifact = z.output<typeof ReportedArtifact>

/** A run as its agent reports it. Times are the agent's, corrected by the measured offset. */
export const ReportedResult = z.object({
  token: z.string().max(8_000),
  startedAt: z.number(),
  durationMs: z.number().min(0),
  responseTimeMs: z.number().min(0).nullable(),
  outcome: z.enum(outcomes),
  overMaxResponseTime: z.boolean(),
  failure: Failure.nullable(),
  statusCode: z.int().min(0).max(999).nullable(),
  /** At the indexes of the layout that `metricLayout` names; null: not measured. */
  metrics: z.array(z.number().min(0).nullable()).max(100),
  metricLayout: z.int().min(1).max(10_000).default(1),
  sslDaysRemaining: z.int().min(-100_000).max(100_000).nullable(),
  /** JSON text of a RunDetail, scrubbed: the server stores it as it is. */
  detail: z.string().max(maxDetailLength).nullable(),
  artifacts: z.array(ReportedArtifact).max(maxArtifactsPerRun).default([]),
  /** A script that this run of an agentic check wrote (first), or proposes instead of the one that failed (repair). */
  agenticScript: z
    .object({
      kind: z.enum(['first', 'repair']),
      script: z.string().max(500_000),
      promptHash: z.string().max(100),
    })
    .nullable()
    .default(null),
})

export type ReportedResult = z.output<typeof ReportedResult>

/** What `detail` holds. */
export interface RunDetail {
  failure: z.output<typeof Failure> | null
  assertions: unknown[]
  /** In the shape of the check type: `{request, response, requestError, …}`. */
  observed: unknown
  /** Lines of the scripts: per phase for API checks, one list for code checks. */
  jobLog?:
    | Record<'setup' | 'request' | 'teardown', { time: number; msg: string; level: string }[]>
    | { time: number; msg: string; level: string }[]
  /** After a network failure: resolver answers, addresses tried, IPv4 fallback, traceroute, capture. */
  diagnostics?: unknown
}

const tag = 'Agents'

export const claimJobs = route({
  method: 'POST',
  path: '/agent/v1/claim',
  tag,
  summary: 'Claim runs that are due',
  description: 'Waits until something is due, or for waitSeconds.',
  access: 'agent',
  body: AgentIdentity.extend({
    /** Data-center agents: the regions they serve. Ignored with the key of a private location. */
    locations: z.array(z.string().max(100)).max(100).default([]),
    /** Not only known ones: an agent may be of a later release than its server. */
    checkTypes: z.array(z.string().min(1).max(100)).min(1).max(200),
    /** How many more runs there is room for: network checks, and checks that run code. */
    freeNetwork: z.int().min(0).max(10_000),
    freeCode: z.int().min(0).max(1000),
    /** All slots for code, free or not. Absent: an agent of an earlier release. */
    codeSlots: z.int().min(0).max(1000).optional(),
    waitSeconds: z.number().min(0).max(maxClaimWaitSeconds).default(maxClaimWaitSeconds),
  }),
  status: 200,
  response: z.object({ serverTime, jobs: z.array(Job) }),
})

export const reportPresence = route({
  method: 'POST',
  path: '/agent/v1/presence',
  tag,
  summary: 'Say that the agent is alive, and renew its leases',
  access: 'agent',
  body: AgentIdentity.extend({
    locations: z.array(z.string().max(100)).max(100).default([]),
    state: agentState,
    startedAt: z.number(),
    leases: z.array(z.string().max(8_000)).max(20_000),
    facts: z.record(z.string(), z.unknown()).default({}).describe('Ping mode, sandbox, clock offset, …'),
  }),
  bodyLimit: 'setting',
  status: 200,
  response: z.object({
    serverTime,
    /** Runs that need not be finished: cancelled, or no longer known. */
    cancelled: z.array(Uuid),
    /** The lowest version that this server still speaks with without calling it outdated. */
    minAgentVersion: z.string(),
  }),
})

export const reportResults = route({
  method: 'POST',
  path: '/agent/v1/results',
  tag,
  summary: 'Report runs; what is acknowledged is recorded for good',
  access: 'agent',
  body: z.object({
    agentId: Uuid,
    results: z.array(ReportedResult).max(maxResultsPerReport),
  }),
  bodyLimit: 'setting',
  status: 200,
  response: z.object({
    serverTime,
    /** One per result, in order. `refused` ones will never be accepted: they may be thrown away. */
    answers: z.array(
      z.object({ accepted: z.boolean(), reason: z.string().optional() }).describe('accepted, or refused'),
    ),
  }),
})

export const reportError = route({
  method: 'POST',
  path: '/agent/v1/reports',
  tag,
  summary: "Report an error of the agent's own; off with EXTERNAL_OBSERVABILITY=off",
  access: 'agent',
  body: AgentIdentity.extend({
    level: z.enum(['warn', 'error']),
    message: z.string().max(10_000),
    stack: z.string().max(20_000).optional(),
    at: z.number(),
  }),
  status: 200,
  response: z.object({ serverTime }),
})
