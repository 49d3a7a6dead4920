// The definition of a check type. Each type has one, in `checks/<type>.ts`; `checks/index.ts` lists them. Unions, routes,
// the OpenAPI document, analytics and the data that agents use are derived from that list.
import type { z } from 'zod'
import type { FlagKey, MeteredKey } from '../accounts/plans.ts'
import type { FieldIssue } from '../core/errors.ts'

export interface CheckDefinition {
  type: Uppercase<string>
  /** The last part of POST /v1/checks/{path}. */
  path: string
  /** Names the components of the OpenAPI document. */
  name: string
  /** For summaries: `a TCP monitor`. */
  title: string
  input: z.ZodObject
  read: z.ZodObject
  /** The rules between fields, on a whole check: as created, or as it will be after an update. */
  issues(values: CheckValues): FieldIssue[]
  /** A body that creates one. */
  example: Record<string, unknown>
  /** Error statuses of the create and update routes besides the usual ones and 402. */
  errors?: readonly number[]
  /** The capacity of an agent that a run takes; null: no agent runs it. */
  capacity: 'network' | 'code' | null
  /** The agent ends a run after this time. Setup and teardown scripts have additional time. */
  runLimitMs: number
  /** Jobs carry the client certificates of the account. */
  usesClientCertificates?: boolean
  /** `http`: the run knows whether there was an HTTP response, so `retryStrategy.onlyOn` applies. */
  retries: 'http' | 'any' | 'none'
  /** The entitlement that counts it, and the feature that it needs. */
  entitlement: { meter: MeteredKey | null; feature?: FlagKey }
  /** What assertions can be made about. */
  sources: Readonly<Record<string, AssertionSource>>
  /** Sources whose assertions can name only these parts. */
  sourceProperties?: SourceProperties
  /** What is measured of a run, by name. */
  metrics: Readonly<Record<string, MetricDefinition>>
  /** The metric that is the response time of a result; null: none is. */
  responseTimeMetric: string | null
  /** The metrics behind the columns of POST /v1/analytics/checks; a column that isn't named is absent. */
  summary: { readonly [C in SummaryColumn]?: string }
  /** GET /v1/analytics/{path}/{id}. Null: the route isn't derived. */
  analytics: AnalyticsDefinition | null
  /** The field of a result that holds the evidence. Types with the same field share its schema. Null: no evidence. */
  result: { kind: EvidenceKind; field: `${string}CheckResult`; schema: z.ZodNullable<z.ZodObject> } | null
  /** The Prometheus histogram of its metrics in milliseconds; null: none. */
  timingMetric: `vedette_${string}_timing_seconds` | null
}

interface AnalyticsDefinition {
  path: string
  /** For its summary, if it differs. */
  title?: string
  groupBy: readonly [Grouping, ...Grouping[]]
  /** Metrics that clients request although runs of this type don't measure them: accepted, and left out of the report. */
  unmeasured?: readonly string[]
}

/** The fields of a check of any type, also of one that isn't valid yet. */
export type CheckValues = Readonly<Record<string, unknown>>

/**
 * How the evidence of a run is read. `http`: one HTTP exchange, with a status code and the log of scripts. `network`: any
 * other request and response. `code`: what a script or suite reported, with files.
 */
type EvidenceKind = 'http' | 'network' | 'code'

/**
 * What a source gives: a number, a document with a path into it, text, texts by name without regard to case, or the
 * latency of several packets.
 */
type SourceKind = 'number' | 'json' | 'text' | 'headers' | 'latency'

export interface AssertionSource {
  kind: SourceKind
  /** As a sentence names it: `the status code`. */
  name: string
  /** The sentence for a run that didn't observe it. */
  absent: string
  unit?: 'ms'
  /** What one of `headers` is called; `header` when absent. */
  entry?: string
}

/** What an assertion on a source can name, by source. */
export type SourceProperties = Readonly<Record<string, readonly string[]>>

export const metricUnits = ['milliseconds', 'score', 'count', 'percentage'] as const

export type MetricUnit = (typeof metricUnits)[number]

/**
 * `index` is the position in the arrays that results and rollups store. Frozen: stored rows, sketches and the journals of
 * agents mean these numbers. An index is never changed or given to another metric; a new metric of an existing type gets the
 * next free one and a new layout version (`metricLayoutVersion`). Arrays have at most 100 values.
 */
export interface MetricDefinition {
  index: number
  unit: MetricUnit
  label: string
}

export const groupings = ['runLocation', 'statusCode', 'pageIndex'] as const

export type Grouping = (typeof groupings)[number]

/** Of POST /v1/analytics/checks. A type has at most one of the two times. */
export type SummaryColumn = 'responseTime' | 'latency' | 'packetLoss'

export const milliseconds = (index: number, label: string): MetricDefinition => ({
  index,
  unit: 'milliseconds',
  label,
})

/** 30 seconds for the target; the rest is for waiting for memory, assertions and diagnostics. */
export const networkRunLimitMs = 45_000
