// The interface of runners of code checks: a job in, an outcome with files out. Like a network runner it knows nothing about
// retries, locations or alerts. Its outcome may contain secrets: finish-run.ts scrubs it.
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
  /** Aborted with a TimeoutError: the run's time is up. With any other reason: it is canceled. */
  signal: AbortSignal
  clock: RunContext['clock']
  network: NetworkPolicy
  lookup?: Lookup
  userAgent: string
  /** Receives each line of the log when it is complete, not scrubbed. Absent: nobody watches. */
  onLine?(line: LogLine): void
}

export interface CodeOutcome {
  outcome: 'passed' | 'degraded' | 'failed' | 'error'
  failure: Failure | null
  /** Wall-clock time of the user's code, without preparation. */
  responseTimeMs: number | null
  /** By the names of `resultMetrics`, without the response time; absent: not measured. */
  metrics?: Readonly<Record<string, number | null>>
  sslDaysRemaining?: number | null
  /** The type's result, without log and files, which are added when it is read. */
  detail: Readonly<Record<string, unknown>>
  log: LogLine[]
  /** In the run's directory, which is removed after the upload. */
  files: OutputFile[]
  /** Secrets that the code set at run time, known by the names of their variables. */
  foundSecrets?: string[]
  /** Of an agentic check: a script that this run wrote or repaired. */
  agenticScript?: { kind: 'first' | 'repair'; script: string; promptHash: string }
  /** Removes the run's files; always called, once. */
  release(): Promise<void>
}

export type CodeRunner = (job: Job, context: CodeContext) => Promise<CodeOutcome>
