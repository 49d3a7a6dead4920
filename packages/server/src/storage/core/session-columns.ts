// JSON columns of sessions. Here, since the table types import them.
import type { RetryStrategy } from '@vedette/contracts'
import type { Sealed } from './vault.ts'

export interface CheckSessionOptions {
  refreshCache: boolean
  environmentUrl: string | null
  environmentName: string | null
  /** The unfinished runs. */
  pending: string[]
  /** The session that starts after this one. */
  next: string | null
}

export interface TestSessionOptions {
  environmentVariables: { key: string; value: string | Sealed; locked: boolean; secret: boolean }[]
  retryStrategy: RetryStrategy | null
  refreshCache: boolean
  /** Whether the client that started it wants the log lines of runs in progress. */
  streamLogs?: boolean
  /** Whether runs write snapshots anew, which the client then downloads. */
  updateSnapshots?: boolean
}
