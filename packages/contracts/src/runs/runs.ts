// Terms of runs that agents and servers share.
import { z } from 'zod'
import type { CheckType } from '../checks/index.ts'
import { typeFacts } from '../checks/type-facts.generated.ts'
import { Uuid } from '../core/fields.ts'

/** The agent that ran a check. The location of the result is the requested one. */
export const RanAt = z
  .object({
    agentId: Uuid.describe('Of the agent process'),
    agentName: z.string().nullable().describe('Its host name, or the AGENT_NAME it was given'),
    isBuiltIn: z
      .boolean()
      .describe("The agent built into the server ran it, from the server's network, for the location"),
  })
  .meta({ id: 'RanAt' })

export type RanAt = z.output<typeof RanAt>

/** As a field of results, statuses and alerts. */
export const ranAtField = RanAt.nullable().describe(
  'The agent that ran it; null for heartbeats and for runs recorded before agents were stored',
)

/** Of the files of a suite. choice: more than a repository with its test data needs. */
export const maxUnpackedBundleBytes = 2 * 1024 * 1024 * 1024

/** Why a run didn't pass. A closed list: users filter by it, and alerts contain it. */
export const failureKinds = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'protocol',
  'redirect',
  'status',
  'body',
  'packet_loss',
  'response_time',
  'assertion',
  'script',
  'blocked',
  'missed_ping',
  'internal',
] as const

export type FailureKind = (typeof failureKinds)[number]

/** The version of the metric indexes of all types. Agents send it with every result; without one it is version 1. */
export const metricLayoutVersion = 1

type TypeFacts = typeof typeFacts

/** The index of each metric in the arrays that results and rollups store, per check type (`MetricDefinition`). */
export const metricIndexes = factsOf('metrics')

/** The metric that is the response time of a result, per check type; null where no metric is. */
export const responseTimeMetrics = factsOf('responseTimeMetric')

type MetricIndexes = typeof metricIndexes

const metricNames: Record<string, readonly string[]> = Object.fromEntries(
  Object.entries(metricIndexes).map(([type, indexes]) => [type, Object.keys(indexes)]),
)

/** The names of the metrics of a run, per check type. */
export const resultMetrics = metricNames as { readonly [T in CheckType]: readonly (keyof MetricIndexes[T])[] }

function factsOf<F extends keyof TypeFacts[CheckType]>(fact: F) {
  const facts: Record<string, TypeFacts[CheckType][F]> = Object.fromEntries(
    Object.entries(typeFacts).map(([type, facts]) => [type, facts[fact]]),
  )
  return facts as { readonly [T in CheckType]: TypeFacts[T][F] }
}

/** Values by name as an array of the current layout; absent values are null. */
export function arrangeMetrics(
  type: CheckType,
  values: Readonly<Record<string, number | null | undefined>>,
): (number | null)[] {
  const indexes: Record<string, number> = metricIndexes[type]
  const arranged: (number | null)[] = []
  for (const name in indexes) {
    const index = indexes[name] ?? 0
    while (arranged.length <= index) arranged.push(null)
    arranged[index] = values[name] ?? null
  }
  return arranged
}

/** An array of the current layout as values by name. */
export function nameMetrics(
  type: CheckType,
  metrics: readonly (number | null)[],
): Record<string, number | null> {
  const indexes: Record<string, number> = metricIndexes[type]
  return Object.fromEntries(Object.entries(indexes).map(([name, index]) => [name, metrics[index] ?? null]))
}

/** The phase of the run that failed. */
export const failurePhases = [
  'setup',
  'dns',
  'connect',
  'tls',
  'send',
  'wait',
  'receive',
  'judge',
  'teardown',
] as const

export const Failure = z
  .object({
    kind: z.enum(failureKinds),
    message: z.string().max(10_000),
    phase: z.enum(failurePhases),
    /** The address and port that were tried last. */
    address: z.string().optional(),
    /** The error code of the system or the protocol: ECONNREFUSED, NXDOMAIN, CERT_HAS_EXPIRED. */
    code: z.string().optional(),
  })
  .meta({ id: 'RunFailure' })

export type Failure = z.output<typeof Failure>

/**
 * What a runner observed, before assertions. Failures of the target are data: a runner returns them and never throws.
 * Durations are measured with a monotonic clock; `startedAt` is corrected by the offset to the server's clock.
 */
export interface Observation<Detail = unknown> {
  startedAt: number
  durationMs: number
  /** The measured operation without preparation; null if it never completed. */
  responseTimeMs: number | null
  failure: Failure | null
  /** Evidence in the shape of the check type's result. */
  detail: Detail
  /** The values for assertions, by source: STATUS_CODE, JSON_BODY, LATENCY, …. */
  subjects: Record<string, Subject>
  /** A sentence that may explain a failure; it's appended to the message. */
  hint?: string
}

/**
 * A number, a text, a document, or named texts. `undecoded`: a text or document so large that it is decoded off the main
 * thread, where assertions are evaluated.
 */
export type Subject =
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'json'; value: unknown }
  | { kind: 'named'; values: Record<string, string | number> }
  | { kind: 'undecoded'; as: 'text' | 'json'; bytes: Uint8Array; contentType: string }
