// What the state of a check follows from, and why one may be unknown.
import type { AlarmCause, CheckType, Verdict } from '@vedette/contracts'

/** Instants are epoch milliseconds. */
export interface StateFacts {
  checkType: CheckType
  /** Of the check itself and of its group. */
  activated: boolean
  isGroupActivated: boolean
  createdAt: number
  /** When the check or its group was last changed. */
  changedAt: number
  activationChangedAt: number | null
  groupActivationChangedAt: number | null
  /** What the last run said that said something about the target; null: none did. */
  verdict: Verdict | null
  /** The last run ended with an error of our own. */
  hasErrors: boolean
  stateSince: number | null
  /** When the run of the verdict ended. */
  knownAt: number | null
  lastRunAt: number | null
  failureMessage: string | null
  /** Slots are at phase + n × period. */
  periodMs: number
  phaseMs: number
  /** False: there is no location in which it could run. */
  isPlanned: boolean
  /** When the run in progress was begun, while its lease holds. */
  runningSince: number | null
  lanes: readonly LaneFacts[]
  unknownAfterMissedRuns: number
  heartbeat: { lastPingAt: number | null; dueAt: number | null; deadlineAt: number | null } | null
  /** The maintenance that pauses its runs now, and when the one before was over. */
  pause: { from: number; to: number } | null
  pausedUntil: number | null
}

interface LaneFacts {
  /** They take turns. */
  locations: readonly string[]
  plannedAt: number | null
  /** By location: when the last run there ended. */
  served: Readonly<Record<string, number>>
  /** Where a run is in progress. */
  runningIn: string | null
}

/** Why nobody runs a check. */
export interface UnknownCause {
  kind: AlarmCause
  /** Names of the locations that it is about. */
  locations: readonly string[]
  /** Of a server outage. */
  outage?: { from: number; to: number }
}
