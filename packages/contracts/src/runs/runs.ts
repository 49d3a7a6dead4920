// What a run of a check is given and what it leaves: the words that agent and server share.
import { z } from 'zod'
import type { CheckType } from '../checks/index.ts'
import { typeFacts } from '../checks/type-facts.generated.ts'
import { Uuid } from '../core/fields.ts'

/** The agent that ran something. The location beside it is the one that was asked for. */
export const RanAt = z
  .object({
    agentId: Uuid.describe('Of the agent process'),
    agentName: z.string().nullable().describe('Its host name, or the AGENT_NAME it was given'),
    isBuiltIn: z
      .boolean()
      .describe("The agent built into the server ran it, from the server's own network, for the location"),
  })
  .meta({ id: 'RanAt' })

export type RanAt = z.output<typeof RanAt>

/** As a field of results, statuses and alerts. */
export const ranAtField = RanAt.nullable().describe(
  'The agent that ran it; null for heartbeats and for runs recorded before agents were stored',
)

/** Why a run did not pass, as a closed list: people filter by it, and alerts tell it. */
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

/** The names of what is measured of a run, per check type. */
export const resultMetrics = Object.fromEntries(
  Object.entries(metricIndexes).map(([type, indexes]) => [type, Object.keys(indexes)]),
) as unknown as { readonly [T in CheckType]: readonly (keyof MetricIndexes[T])[] }

function factsOf<F extends keyof TypeFacts[CheckType]>(fact: F) {
  return Object.fromEntries(
    Object.entries(typeFacts).map(([type, facts]) => [type, facts[fact]]),
  ) as unknown as {
    readonly [T in CheckType]: TypeFacts[T][F]
  }
}

/** Values by name as an array of the current layout; what is absent is null. */
export function arrangeMetrics(
  type: CheckType,
  values: Readonly<Record<string, number | null | undefined>>,
): (number | null)[] {
  const indexes: Record<string, number> = metricIndexes[type]
  const arranged = new Array<number | null>(1 + Math.max(-1, ...Object.values(indexes))).fill(null)
  for (const [name, index] of Object.entries(indexes)) {
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

/** Where in the conversation it went wrong. */
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
    /** The system's or protocol's own name for it: ECONNREFUSED, NXDOMAIN, CERT_HAS_EXPIRED. */
    code: z.string().optional(),
  })
  .meta({ id: 'RunFailure' })

export type Failure = z.output<typeof Failure>

/**
 * What a runner saw, before anyone judges it. The world's failures are data: a runner returns them, it never throws.
 * Durations come from a monotonic clock; `startedAt` is corrected by the offset to the server's clock.
 */
export interface Observation<Detail = unknown> {
  startedAt: number
  durationMs: number
  /** The measured operation itself, without our own preparation; null when it never completed. */
  responseTimeMs: number | null
  failure: Failure | null
  /** Evidence in the shape of the check type's result. */
  detail: Detail
  /** What assertions can be made about, by source: STATUS_CODE, JSON_BODY, LATENCY, …. */
  subjects: Record<string, Subject>
  /** What may explain a failure, as a sentence; added to its message. */
  hint?: string
}

/**
 * A number, a text, a document, or named texts. Absent: there was nothing of the kind. `undecoded`: a text or a
 * document so large that it is decoded only where it is judged, off the main thread.
 */
export type Subject =
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'json'; value: unknown }
  | { kind: 'named'; values: Record<string, string | number> }
  | { kind: 'undecoded'; as: 'text' | 'json'; bytes: Uint8Array; contentType: string }
