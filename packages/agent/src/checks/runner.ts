// What a runner gets and gives: rendered settings and a guarded way out in, an observation out.
// It knows nothing of retries, assertions, locations, alerts or secrets; it never throws and leaves no handle behind.
import type { Check, Observation } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { AgentWaits } from '../core/agent-waits.ts'
import type { BodyBudget } from '../net/body-budget.ts'
import type { ClientCertificate } from '../net/client-certificate.ts'
import type { Lookup } from '../net/resolve.ts'

/** The types that are run over the network, without any code of the user's. */
export type NetworkCheck = Extract<Check, { checkType: 'API' | 'URL' | 'TCP' | 'DNS' | 'ICMP' }>

export type Runner<Settings, Detail> = (
  job: RunJob<Settings>,
  context: RunContext,
) => Promise<Observation<Detail>>

export interface RunJob<Settings> {
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
