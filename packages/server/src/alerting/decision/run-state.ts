// The state of a run in one or several locations, and whether it is certain before all of them are done.
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

/** The state under the alert settings: a threshold requires a share of the locations. */
export function countedStateOf(
  run: Pick<AlertRun, 'locations' | 'failed' | 'degraded'>,
  threshold: ParallelThreshold,
): RunState {
  if (!threshold.enabled || run.locations < 2) return rawStateOf(run)
  const isReached = (count: number) => count > 0 && count * 100 >= threshold.percentage * run.locations
  if (isReached(run.failed)) return 'failing'
  // choice: failing locations below the threshold still count towards a degradation.
  return isReached(run.failed + run.degraded) ? 'degraded' : 'passing'
}

/**
 * Whether the run fails regardless of the locations that aren't done: it fails even if they all pass, and a location that never
 * reports isn't counted, which only raises the share.
 */
export function isCertainlyFailing(
  run: Pick<AlertRun, 'failed' | 'degraded'>,
  expected: number,
  threshold: ParallelThreshold,
): boolean {
  return countedStateOf({ ...run, locations: expected }, threshold) === 'failing'
}
