// Turns stored results back into runs, in the order in which the runs were complete.
import type { AlertRun } from '../decision/alert-state.ts'
import { isCertainlyFailing, type ParallelThreshold } from '../decision/run-state.ts'

/** A final result that wasn't canceled. */
export interface BacktestResult {
  scheduledAt: number
  stoppedAt: number
  /** Null for scheduled runs. */
  sessionId: string | null
  location: string
  hasFailures: boolean
  isDegraded: boolean
  /** Our own errors, which are no verdict about the target. */
  hasErrors: boolean
}

export interface CompleteRun extends AlertRun {
  /** The earliest time at which the run could be decided. */
  completeAt: number
  /** The location with the worst result. */
  location: string
}

export interface RunOrder {
  /** Takes results in the order of their slots; returns the runs that no later result can precede. */
  add(results: readonly BacktestResult[]): CompleteRun[]
  /** Returns the remaining runs. */
  end(): CompleteRun[]
}

export function orderRuns(threshold: ParallelThreshold): RunOrder {
  let slot: BacktestResult[] = []
  // Ordered by completeAt. Short: only runs that were in progress when the next slot came.
  let waiting: CompleteRun[] = []

  function closeSlot(ready: CompleteRun[]): void {
    const [first] = slot
    if (first === undefined) return
    // A later run is complete at its own slot at the earliest.
    const open = waiting.findIndex(({ completeAt }) => completeAt > first.scheduledAt)
    ready.push(...waiting.splice(0, open === -1 ? waiting.length : open))
    for (const run of runsOf(slot, threshold)) {
      const index = waiting.findLastIndex(({ completeAt }) => completeAt <= run.completeAt)
      waiting.splice(index + 1, 0, run)
    }
    slot = []
  }

  return {
    add(results) {
      const ready: CompleteRun[] = []
      for (const result of results) {
        if (slot[0]?.scheduledAt !== result.scheduledAt) closeSlot(ready)
        slot.push(result)
      }
      return ready
    },
    end() {
      const ready: CompleteRun[] = []
      closeSlot(ready)
      ready.push(...waiting)
      waiting = []
      return ready
    },
  }
}

/** Results of one slot and session are one run: the check may have run in parallel back then. */
function runsOf(slot: readonly BacktestResult[], threshold: ParallelThreshold): CompleteRun[] {
  const parts = slot.length === 1 ? [slot] : Map.groupBy(slot, ({ sessionId }) => sessionId).values()
  const runs: CompleteRun[] = []
  for (const results of parts) {
    const run = runOf(results, threshold)
    if (run !== null) runs.push(run)
  }
  return runs
}

/** Null if no location has a verdict. */
function runOf(results: readonly BacktestResult[], threshold: ParallelThreshold): CompleteRun | null {
  const [first] = results
  if (first === undefined) return null
  const run = { at: first.scheduledAt, locations: 0, failed: 0, degraded: 0 }
  let completeAt = run.at
  let lead: BacktestResult | null = null
  let isCertain = false
  for (const result of results.length === 1 ? results : results.toSorted(byEnd)) {
    // An agent's clock may run behind.
    if (!isCertain) completeAt = Math.max(completeAt, result.stoppedAt)
    if (result.hasErrors) continue
    run.locations += 1
    if (result.hasFailures) run.failed += 1
    else if (result.isDegraded) run.degraded += 1
    if (lead === null || weightOf(result) > weightOf(lead)) lead = result
    isCertain ||= isCertainlyFailing(run, results.length, threshold)
  }
  return lead === null ? null : { ...run, completeAt, location: lead.location }
}

const byEnd = (a: BacktestResult, b: BacktestResult) => a.stoppedAt - b.stoppedAt

const weightOf = ({ hasFailures, isDegraded }: BacktestResult) => (hasFailures ? 2 : isDegraded ? 1 : 0)
