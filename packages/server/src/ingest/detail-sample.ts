// Which details are kept for DETAIL_RETENTION_DAYS. Those of other runs are dropped after a day.
import { hourMs, minuteMs } from '@vedette/contracts'
import type { RecordedCheck } from '../storage/results/result-writes.ts'
import type { RecordedRow } from './recorded-row.ts'
import type { RunResult } from './run-result.ts'

/** Checks that run more rarely keep all details: they cost little, and a sample of them could be empty. */
const sampledPeriodMs = hourMs

/**
 * Ids of the results whose details are dropped after a day: ordinary passes of scheduled runs. The first pass after another outcome or
 * after an edit of the check is kept, and so is the pass of a retry. `rows`: by slot.
 */
export function listUnsampled(
  rows: readonly RecordedRow[],
  checks: ReadonlyMap<string, RecordedCheck>,
  percent: number,
): Set<string> {
  const unsampled = new Set<string>()
  const settled = new Set([...checks.values()].flatMap(({ id, isSettled }) => (isSettled ? [id] : [])))
  for (const { id, result } of rows) {
    const { checkId } = result
    const isOrdinary = settled.has(checkId) && isFirstAttemptPassing(result)
    if (isPassing(result)) settled.add(checkId)
    else settled.delete(checkId)
    const periodMs = (checks.get(checkId)?.frequency ?? 0) * minuteMs
    if (isOrdinary && periodMs < sampledPeriodMs && !isInSample(id, percent)) unsampled.add(id)
  }
  return unsampled
}

function isFirstAttemptPassing(result: RunResult): boolean {
  return result.source === 'schedule' && result.attempt === 1 && isPassing(result)
}

function isPassing({ hasFailures, hasErrors, isDegraded, isCancelled }: RunResult): boolean {
  return !hasFailures && !hasErrors && !isDegraded && !isCancelled
}

/** By the end of the id, which is a hash: a result that is reported twice gets the same decision. */
function isInSample(id: string, percent: number): boolean {
  return Number.parseInt(id.slice(-8), 16) < (percent / 100) * 2 ** 32
}
