// The inputs of a check's state, and why it may be unknown.
import type { AlarmCause, CheckType, Verdict } from '@vedette/contracts'

/** Instants are epoch milliseconds. */
export interface StateFacts {
  checkType: CheckType
  activated: boolean
  isGroupActivated: boolean
  createdAt: number
  /** When the check or its group was last changed. */
  changedAt: number
  activationChangedAt: number | null
  groupActivationChangedAt: number | null
  /** The verdict of the last run that had one; null if none did. */
  verdict: Verdict | null
  /** The last run ended with an internal error. */
  hasErrors: boolean
  stateSince: number | null
  /** When the run of `verdict` ended. */
  knownAt: number | null
  lastRunAt: number | null
  failureMessage: string | null
  /** Slots are at phase + n × period. */
  periodMs: number
  phaseMs: number
  /** False: it has no location to run in. */
  isPlanned: boolean
  /** When the run in progress started, while its lease is valid. */
  runningSince: number | null
  lanes: readonly LaneFacts[]
  unknownAfterMissedRuns: number
  heartbeat: { lastPingAt: number | null; dueAt: number | null; deadlineAt: number | null } | null
  /** The maintenance that pauses its runs now, and the end of the previous one. */
  pause: { from: number; to: number } | null
  pausedUntil: number | null
}

interface LaneFacts {
  /** Locations that take turns. */
  locations: readonly string[]
  plannedAt: number | null
  /** End of the last run, by location. */
  served: Readonly<Record<string, number>>
  /** Location of the run in progress. */
  runningIn: string | null
}

/** Why a check doesn't run. */
export interface UnknownCause {
  kind: AlarmCause
  /** Names of the affected locations. */
  locations: readonly string[]
  /** For `server_outage`. */
  outage?: { from: number; to: number }
}
