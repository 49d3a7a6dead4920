// Stored results as the runs that were decided: in the order in which each was complete, as they would have come in.
import type { AlertRun } from '../decision/alert-state.ts'
import { isCertainlyFailing, type ParallelThreshold } from '../decision/run-state.ts'

/** A final result that was not cancelled. */
export interface BacktestResult {
  scheduledAt: number
  stoppedAt: number
  /** Of an on-demand run; a scheduled one has none. */
  sessionId: string | null
  location: string
  hasFailures: boolean
  isDegraded: boolean
  /** Our own: it says nothing of the target. */
  hasErrors: boolean
}

export interface CompleteRun extends AlertRun {
  /** When it could be decided. */
  completeAt: number
  /** The one that says most: a failed one before a degraded one before the rest. */
  location: string
}

export interface RunOrder {
  /** Results in the order of their slots; returns the runs that nothing to come can precede. */
  add(results: readonly BacktestResult[]): CompleteRun[]
  /** All that is left. */
  end(): CompleteRun[]
}

export function orderRuns(threshold: ParallelThreshold): RunOrder {
  let slot: BacktestResult[] = []
  // By completeAt. Few: those that were still running when the next slot came.
  let waiting: CompleteRun[] = []

  function closeSlot(ready: CompleteRun[]): void {
    const [first] = slot
    if (first === undefined) return
    // What comes is complete at its own slot at the earliest.
    let count = 0
    while (count < waiting.length && (waiting[count] as CompleteRun).completeAt <= first.scheduledAt) count++
    ready.push(...waiting.splice(0, count))
    for (const run of runsOf(slot, threshold)) {
      const place = waiting.findLastIndex(({ completeAt }) => completeAt <= run.completeAt)
      waiting.splice(place + 1, 0, run)
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

/** Whether a check runs in parallel may have changed since: results of one instant and session are one run. */
function runsOf(slot: readonly BacktestResult[], threshold: ParallelThreshold): CompleteRun[] {
  const parts = slot.length === 1 ? [slot] : Map.groupBy(slot, ({ sessionId }) => sessionId).values()
  const runs: CompleteRun[] = []
  for (const results of parts) {
    const run = runOf(results, threshold)
    if (run !== null) runs.push(run)
  }
  return runs
}

/** Null when no location said anything of the target. */
function runOf(results: readonly BacktestResult[], threshold: ParallelThreshold): CompleteRun | null {
  const [first] = results
  if (first === undefined) return null
  const run = { at: first.scheduledAt, locations: 0, failed: 0, degraded: 0 }
  let completeAt = run.at
  let lead: BacktestResult | null = null
  let isCertain = false
  for (const result of results.length === 1 ? results : results.toSorted(byEnd)) {
    // An agent's clock may be a little behind.
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
