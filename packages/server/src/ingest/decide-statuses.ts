// What final results make of the status of their checks. The rows are locked, so that of two servers one decides first;
// a result that is not newer than the last decided one changes nothing.
import { addParallelPart } from '../storage/parallel-runs.ts'
import { lockStatuses, type StatusRow, upsertStatuses } from '../storage/status-writes.ts'
import type { Client } from '../storage/transaction.ts'
import type { RunResult } from './run-result.ts'
import { type DecidableResult, nextStatus } from './status.ts'

interface Decidable extends DecidableResult {
  accountId: string
  checkId: string
  sslDaysRemaining: number | null
}

export async function decideStatuses(
  client: Client,
  results: readonly RunResult[],
  now: number,
): Promise<void> {
  const final = results.filter(({ resultType, isCancelled }) => resultType === 'FINAL' && !isCancelled)
  const decidable: Decidable[] = []
  for (const result of final) {
    const decided = result.parallel === null ? result : await completed(client, result, result.parallel)
    if (decided !== null) decidable.push(decided)
  }
  if (decidable.length === 0) return
  const byCheck = Map.groupBy(decidable, ({ checkId }) => checkId)
  const before = await lockStatuses(client, [...byCheck.keys()].sort())
  const changed: StatusRow[] = []
  for (const [checkId, ofCheck] of byCheck) {
    const previous = before.get(checkId) ?? null
    const status = ofCheck.sort((a, b) => a.scheduledAt - b.scheduledAt).reduce(after, previous)
    if (status !== null && status !== previous) changed.push(status)
  }
  await upsertStatuses(client, changed, now)
}

function after(previous: StatusRow | null, result: Decidable): StatusRow | null {
  const status = nextStatus(previous, result)
  if (status === null || status === previous) return previous
  const { accountId, checkId } = result
  const sslDaysRemaining = result.sslDaysRemaining ?? previous?.sslDaysRemaining ?? null
  return { ...status, lastCheckRunId: String(result.scheduledAt), accountId, checkId, sslDaysRemaining }
}

/** A parallel run is one run: it is decided with the last of its locations, and fails if any of them did. */
async function completed(client: Client, result: RunResult, expected: number): Promise<Decidable | null> {
  const run = await addParallelPart(client, {
    accountId: result.accountId,
    checkId: result.checkId,
    scheduledAt: result.scheduledAt,
    sessionId: result.checkSessionId,
    expected,
    failed: result.hasFailures,
    degraded: result.isDegraded,
    error: result.hasErrors,
  })
  if (!run.isDone) return null
  return {
    ...result,
    hasFailures: run.failed > 0,
    isDegraded: run.degraded > 0,
    // Where one location said something about the target, our errors in others are not what is to be told.
    hasErrors: run.errors === expected,
  }
}
