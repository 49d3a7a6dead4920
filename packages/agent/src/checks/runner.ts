// What the agent knows of a check type that runs over the network, without any code of the user's: one object per type, in
// `checks/<type>.ts`; `checks/index.ts` lists them.
import type { Check, Failure, NetworkCheckType, Observation } from '@vedette/contracts'
import type { resultMetrics } from '@vedette/contracts/runs'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { AgentWaits } from '../core/agent-waits.ts'
import type { BodyBudget } from '../net/body-budget.ts'
import type { ClientCertificate } from '../net/client-certificate.ts'
import type { Lookup } from '../net/resolve.ts'

export type CheckOf<T extends NetworkCheckType> = Extract<Check, { checkType: T }>
export type NetworkCheck = CheckOf<NetworkCheckType>

/**
 * Rendered settings and a guarded way out in, an observation out. It knows nothing of retries, assertions, locations, alerts
 * or secrets; it never throws and leaves no handle behind.
 */
export type Run<Settings, Detail> = (
  job: RunJob<Settings>,
  context: RunContext,
) => Promise<Observation<Detail>>

/** The members are methods, so that a runner of one type is also a runner of any type. */
export interface Runner<T extends NetworkCheckType = NetworkCheckType, Detail = unknown> {
  type: T
  run(job: RunJob<CheckOf<T>['request']>, context: RunContext): Promise<Observation<Detail>>
  /** What was measured, by name; `detail` is null after our own failure. */
  metrics(run: { responseTimeMs: number | null; detail: Detail | null }): Metrics<T>
  /** The host that didn't respond, for a diagnosis; null: unknown. */
  target(request: CheckOf<T>['request'], detail: Detail | null): Target | null
  /** Which resources of the agent a run uses besides the network. */
  uses?: readonly ('bodies' | 'proxy' | 'clientCertificates')[]
  /** Setup and teardown scripts may run around the request: an uptime agent doesn't offer the type. */
  hasScripts?: boolean
  /** Fills templates into the settings; absent: the type has none. */
  render?(request: CheckOf<T>['request'], values: TemplateValues): Rendered<CheckOf<T>['request']>
  /** Whether a failure is what the check expects. */
  isExpected?(check: Partial<CheckOf<T>>, failure: Failure): boolean
  /** Why a run without a failure of its own fails, before its assertions and its response time count. */
  failureOf?(
    check: Partial<CheckOf<T>>,
    observation: Observation<Detail>,
    assertions: readonly JudgedAssertion[],
  ): Failure | null
  /** Why a run that didn't fail is degraded, before its response time counts. */
  warningOf?(check: Partial<CheckOf<T>>, observation: Observation<Detail>): Failure | null
  /** Of an HTTP response. */
  statusCode?(detail: Detail): number | undefined
  /** The end of the certificate that the target showed, as a date. */
  certificateValidTo?(detail: Detail): string | undefined
}

type Value = number | null | undefined
type MetricName<T extends NetworkCheckType> = (typeof resultMetrics)[T][number]

/** The compiler sees that no metric of the type is forgotten. */
type Metrics<T extends NetworkCheckType> = NetworkCheckType extends T
  ? Readonly<Record<string, Value>>
  : Readonly<Record<MetricName<T>, Value>>

export interface Target {
  host: string | undefined
  port: number | null
}

export interface TemplateValues {
  variables: Readonly<Record<string, string>>
  groupBaseUrl?: string | null
  environmentUrl?: string | null
}

/** `undefinedText`: a sentence about variables that don't exist. */
export type Rendered<Settings> = { failure: Failure } | { request: Settings; undefinedText: string | null }

export interface JudgedAssertion {
  source: string
  /** Absent: it holds. */
  error?: string
}

interface RunJob<Settings> {
  runId: string
  /** The check's `request`, its templates rendered and its group's defaults merged in. */
  settings: Settings
}

interface RunClock {
  /** Milliseconds since 1970, corrected by the measured offset to the server. */
  now(): number
  /** Milliseconds from any point; never goes back. */
  monotonic(): number
}

export interface RunContext {
  /** Aborted with a TimeoutError it is the target's time that is up; with anything else the run is called off. */
  signal: AbortSignal
  clock: RunClock
  network: NetworkPolicy
  /** How names become addresses: by own queries where absent, `osLookup` with USE_OS_DNS_RESOLVER. */
  lookup?: Lookup
  /** Asked in this order by DNS monitors that name no server; absent: public ones, then the system's. */
  dnsResolvers?: readonly string[]
  userAgent: string
  /** AGENT_SANDBOX; absent: auto. */
  sandbox?: 'auto' | 'require'
  /** The location's proxy for API and URL checks: http or https, credentials in it. */
  proxyUrl?: string
  /** The newest first. */
  clientCertificates?: readonly ClientCertificate[]
  /** This run's share of the memory for bodies; whoever opened it releases it once the run is judged. */
  bodyBudget?: BodyBudget
  /** What this run waited for its agent; absent: counted for the request alone. */
  waits?: AgentWaits
}
