// The status of a check after a run: the row that statuses, badges and pages read. Older runs never change it.
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
  /** The end of the last run without an internal error; null: there was none. */
  knownAt: number | null
  /** The end of the run that brought the check into this state. */
  stateSince: number | null
  /** Of a failed run. */
  failureMessage: string | null
}

export interface DecidableResult {
  runId: string
  /** On-demand runs: when they were requested. By the server's clock. */
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

/** Returns `previous` itself if the result changes nothing, so that nothing needs to be written. */
export function nextStatus(previous: RunStatus | null, result: DecidableResult): RunStatus | null {
  if (result.resultType !== 'FINAL' || result.isCancelled) return previous
  if (previous !== null && result.scheduledAt <= previous.decidedAt) return previous
  const known = previous ?? unknownStatus
  const lastRun = {
    lastRunLocation: result.location,
    ranAt: result.ranAt,
    lastCheckRunId: result.runId,
    decidedAt: result.scheduledAt,
  }
  // An internal error says nothing about the target: its state stays.
  if (result.hasErrors) return { ...known, ...lastRun, hasErrors: true }
  const { hasFailures, endedAt } = result
  const isDegraded = result.isDegraded && !hasFailures
  const isSameState =
    known.knownAt !== null && known.hasFailures === hasFailures && known.isDegraded === isDegraded
  return {
    ...lastRun,
    hasErrors: false,
    hasFailures,
    isDegraded,
    knownAt: endedAt,
    stateSince: isSameState ? known.stateSince : endedAt,
    failureMessage: hasFailures ? result.failureMessage : null,
    longestRun: chooseKnown(Math.max, known.longestRun, result.responseTimeMs),
    shortestRun: chooseKnown(Math.min, known.shortestRun, result.responseTimeMs),
  }
}

const unknownStatus = {
  hasFailures: false,
  isDegraded: false,
  longestRun: null,
  shortestRun: null,
  knownAt: null,
  stateSince: null,
  failureMessage: null,
}

function chooseKnown(
  choose: (a: number, b: number) => number,
  known: number | null,
  measured: number | null,
): number | null {
  if (known === null || measured === null) return known ?? measured
  return choose(known, measured)
}
