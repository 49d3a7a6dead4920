// What a runner of users' code gets and gives: the job, a place to run it in, and an outcome with files out. Like a network
// runner it knows nothing of retries, locations or alerts. What it returns may hold secrets: finish-run.ts scrubs it.
import type { Failure, Job } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { OutputFile } from '../artifacts/output-file.ts'
import type { RunContext } from '../checks/runner.ts'
import type { Lookup } from '../net/resolve.ts'

export interface LogLine {
  /** Milliseconds since 1970. */
  time: number
  msg: string
  level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR'
}

export interface CodeContext {
  /** Aborted with a TimeoutError the run's time is up; with anything else it is called off. */
  signal: AbortSignal
  clock: RunContext['clock']
  network: NetworkPolicy
  lookup?: Lookup
  userAgent: string
}

export interface CodeOutcome {
  outcome: 'passed' | 'degraded' | 'failed' | 'error'
  failure: Failure | null
  /** Wall clock of the user's code, without our preparation. */
  responseTimeMs: number | null
  /** By the names of `resultMetrics`; what is absent was not measured. */
  metrics: Readonly<Record<string, number | null>>
  sslDaysRemaining: number | null
  /** In the shape of the type's result, without log and files: those are added when it is shown. */
  detail: Readonly<Record<string, unknown>>
  log: LogLine[]
  /** In the run's folder, which is removed once they are uploaded. */
  files: OutputFile[]
  /** Secrets that came up while it ran: variables set at run time whose name says so. */
  foundSecrets: string[]
  /** Of an agentic check: a script that was written or mended in this run. */
  agenticScript?: { kind: 'first' | 'repair'; script: string; promptHash: string }
  /** Removes what is left of the run; called once, whatever happened. */
  release(): Promise<void>
}

export type CodeRunner = (job: Job, context: CodeContext) => Promise<CodeOutcome>
