// What a run comes to: one location or several, and whether that is certain before all of them are done.
import type { AlertRun, RunState } from './alert-state.ts'

export interface ParallelThreshold {
  enabled: boolean
  percentage: number
}

/** Any location that fails makes a failing run. */
export function rawStateOf({ failed, degraded }: Pick<AlertRun, 'failed' | 'degraded'>): RunState {
  if (failed > 0) return 'failing'
  return degraded > 0 ? 'degraded' : 'passing'
}

/** As alert settings see it: with a threshold only if that share of the locations agrees. */
export function countedStateOf(
  run: Pick<AlertRun, 'locations' | 'failed' | 'degraded'>,
  threshold: ParallelThreshold,
): RunState {
  if (!threshold.enabled || run.locations < 2) return rawStateOf(run)
  const isReached = (count: number) => count > 0 && count * 100 >= threshold.percentage * run.locations
  if (isReached(run.failed)) return 'failing'
  // choice: a failing location that is not enough for a failure still counts towards a degradation.
  return isReached(run.failed + run.degraded) ? 'degraded' : 'passing'
}

/**
 * Whether the run is failing whatever the locations say that are not done: if they pass it still is, and one that
 * never reports leaves the denominator, which only raises the share.
 */
export function isCertainlyFailing(
  run: Pick<AlertRun, 'failed' | 'degraded'>,
  expected: number,
  threshold: ParallelThreshold,
): boolean {
  return countedStateOf({ ...run, locations: expected }, threshold) === 'failing'
}
