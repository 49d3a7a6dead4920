// A check's status after a run: the row that statuses, badges and pages read. History moves forward only.
import type { RanAt } from '@vedette/contracts'

export interface RunStatus {
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  /** Milliseconds, of all time. */
  longestRun: number | null
  shortestRun: number | null
  lastRunLocation: string | null
  ranAt: RanAt | null
  lastCheckRunId: string | null
  /** The scheduled instant of the run that was decided last. */
  decidedAt: number
  /** When the last run ended that said something about the target; null: none did. */
  knownAt: number | null
  /** When the run ended that brought the check into this state. */
  stateSince: number | null
  /** Of a failed run. */
  failureMessage: string | null
}

export interface DecidableResult {
  runId: string
  /** On-demand runs: when they were asked for. A run's own instant, never an agent's clock. */
  scheduledAt: number
  location: string
  ranAt: RanAt | null
  resultType: 'FINAL' | 'ATTEMPT'
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  responseTimeMs: number | null
  /** When it ended, by the server's clock. */
  endedAt: number
  failureMessage: string | null
}

/** The previous row itself when the result changes nothing, so that nothing needs to be written. */
export function nextStatus(previous: RunStatus | null, result: DecidableResult): RunStatus | null {
  if (result.resultType !== 'FINAL' || result.isCancelled) return previous
  if (previous !== null && result.scheduledAt <= previous.decidedAt) return previous
  const known = previous ?? unknownStatus
  const seen = {
    lastRunLocation: result.location,
    ranAt: result.ranAt,
    lastCheckRunId: result.runId,
    decidedAt: result.scheduledAt,
  }
  // Our own error says nothing about the target: what was known of it stays.
  if (result.hasErrors) return { ...known, ...seen, hasErrors: true }
  const { hasFailures, endedAt } = result
  const isDegraded = result.isDegraded && !hasFailures
  const isSameState =
    known.knownAt !== null && known.hasFailures === hasFailures && known.isDegraded === isDegraded
  return {
    ...seen,
    hasErrors: false,
    hasFailures,
    isDegraded,
    knownAt: endedAt,
    stateSince: isSameState ? known.stateSince : endedAt,
    failureMessage: hasFailures ? result.failureMessage : null,
    longestRun: furthest(Math.max, known.longestRun, result.responseTimeMs),
    shortestRun: furthest(Math.min, known.shortestRun, result.responseTimeMs),
  }
}

const unknownStatus = {
  ...{ hasFailures: false, isDegraded: false, longestRun: null, shortestRun: null },
  ...{ knownAt: null, stateSince: null, failureMessage: null },
}

function furthest(
  choose: (a: number, b: number) => number,
  known: number | null,
  measured: number | null,
): number | null {
  if (known === null || measured === null) return known ?? measured
  return choose(known, measured)
}
