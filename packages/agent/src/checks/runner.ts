// How the agent runs a check type over the network, without user code. Each type has one object in `checks/<type>.ts`;
// `checks/index.ts` lists them.
import type { Check, Failure, NetworkCheckType, Observation } from '@vedette/contracts'
import type { resultMetrics } from '@vedette/contracts/runs'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { ClientCertificate } from '@vedette/safeguards/client-certificate'
import type { AgentWaits } from '../core/agent-waits.ts'
import type { AgentClock } from '../core/clock.ts'
import type { BodyBudget } from '../net/body-budget.ts'
import type { Lookup } from '../net/resolve.ts'

export type CheckOf<T extends NetworkCheckType> = Extract<Check, { checkType: T }>
export type NetworkCheck = CheckOf<NetworkCheckType>

/** What a run observed; `observe()` adds when and how long it ran. */
type Observed<Detail = unknown> = Omit<Observation<Detail>, 'startedAt' | 'durationMs'>

/** The members are methods, so that a runner of one type is also a runner of any type. */
export interface Runner<T extends NetworkCheckType = NetworkCheckType, Detail = unknown> {
  type: T
  /**
   * From settings, with templates rendered and the group's defaults merged in, to an observation. It doesn't depend on retries,
   * assertions, locations, alerts or secrets. It never throws and leaves no handle open.
   */
  run(settings: CheckOf<T>['request'], context: RunContext): Promise<Observed<Detail>>
  /** Measured values by name; `detail` is null after an internal failure. */
  metrics(run: { responseTimeMs: number | null; detail: Detail | null }): Metrics<T>
  /** The host that didn't respond, for a diagnosis; null: unknown. */
  target(request: CheckOf<T>['request'], detail: Detail | null): Target | null
  /** Resources of the agent that a run uses besides the network. */
  uses?: readonly ('bodies' | 'proxy' | 'clientCertificates')[]
  /** Setup and teardown scripts may run around the request: an uptime agent doesn't offer the type. */
  hasScripts?: boolean
  /** Fills templates into the settings; absent: the type has none. */
  render?(request: CheckOf<T>['request'], values: TemplateValues): Rendered<CheckOf<T>['request']>
  /** Whether the check expects this failure. */
  isExpected?(check: Partial<CheckOf<T>>, failure: Failure): boolean
  /** Why a run fails although its request didn't. Decided before assertions and response time. */
  failureOf?(
    check: Partial<CheckOf<T>>,
    observation: Observation<Detail>,
    assertions: readonly JudgedAssertion[],
  ): Failure | null
  /** Why a run that didn't fail is degraded. Decided before the response time. */
  warningOf?(check: Partial<CheckOf<T>>, observation: Observation<Detail>): Failure | null
  /** Of an HTTP response. */
  statusCode?(detail: Detail): number | undefined
  /** The target's certificate. */
  certificate?(detail: Detail): SeenCertificate | null | undefined
}

export interface SeenCertificate {
  subject: string
  issuer: string
  validTo: string
  chainSha256: string
}

type Value = number | null | undefined
type MetricName<T extends NetworkCheckType> = (typeof resultMetrics)[T][number]

/** The compiler checks that no metric of the type is missing. */
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

export interface RunContext {
  /** Aborted with a TimeoutError, the target was too slow; with another reason, the run is canceled. */
  signal: AbortSignal
  /** The server's time. */
  clock: AgentClock
  network: NetworkPolicy
  /** How names are resolved; absent: by the agent's own queries. `osLookup` with USE_OS_DNS_RESOLVER. */
  lookup?: Lookup
  userAgent: string
  /** AGENT_SANDBOX; absent: auto. */
  sandbox?: 'auto' | 'require' | 'fallback'
  /** AGENT_LIMITS; absent: auto. */
  limits?: 'auto' | 'require'
  /** The location's http or https proxy for API and URL checks, with its credentials. */
  proxyUrl?: string
  /** The newest first. */
  clientCertificates?: readonly ClientCertificate[]
  /** This run's share of the memory for bodies. The caller that opened it releases it after the judgment. */
  bodyBudget?: BodyBudget
  /** Counts the time that this run waits for its agent; absent: counted for the request only. */
  waits?: AgentWaits
}
