// The progress and the final status of a check session. Pure.
import type { CheckSessionStatus } from '@vedette/contracts'
import type { RunResult } from '../ingest/run-result.ts'

export interface SessionCounts {
  expected: number
  done: number
  failed: number
  degraded: number
  errors: number
  timedOut: number
  cancelled: number
}

export type RunEnd = 'passed' | 'degraded' | 'failed' | 'error' | 'timed_out' | 'cancelled'

export function runEndOf(result: RunResult): RunEnd {
  if (result.isCancelled) return 'cancelled'
  if (result.hasErrors) return 'error'
  if (result.hasFailures) return 'failed'
  return result.isDegraded ? 'degraded' : 'passed'
}

export function addEnds(counts: SessionCounts, ends: readonly RunEnd[]): SessionCounts {
  const count = (wanted: RunEnd) => ends.filter((end) => end === wanted).length
  return {
    expected: counts.expected,
    done: counts.done + ends.length,
    failed: counts.failed + count('failed'),
    degraded: counts.degraded + count('degraded'),
    errors: counts.errors + count('error'),
    timedOut: counts.timedOut + count('timed_out'),
    cancelled: counts.cancelled + count('cancelled'),
  }
}

export function isOver({ done, expected }: SessionCounts): boolean {
  return done >= expected
}

/** choice: an internal error proves nothing about the target, so a session with one hasn't passed. */
export function statusOf(counts: SessionCounts): CheckSessionStatus {
  const { done, failed, degraded, errors, timedOut, cancelled } = counts
  const hasFailed = failed + errors > 0
  if (!isOver(counts)) {
    if (done === 0) return 'STARTED'
    if (hasFailed || timedOut > 0) return 'PROGRESS_FAILED'
    return degraded > 0 ? 'PROGRESS_DEGRADED' : 'PROGRESS'
  }
  // choice: a session that isn't complete says so, whatever its runs found.
  if (cancelled > 0) return 'CANCELLED'
  if (timedOut > 0) return 'TIMED_OUT'
  if (hasFailed) return 'FAILED'
  return degraded > 0 ? 'DEGRADED' : 'PASSED'
}
