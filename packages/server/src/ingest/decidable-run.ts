// Turns final results into runs to decide: one run for each result, or one for all locations of a parallel run.
import { minuteMs } from '@vedette/contracts'
import { isCertainlyFailing, type ParallelThreshold } from '../alerting/decision/run-state.ts'
import { readAlertPolicies } from '../storage/alerts/alert-policies.ts'
import type { TriggeringResult } from '../storage/alerts/alert-states.ts'
import type { Client } from '../storage/core/transaction.ts'
import { addParallelPart, markDecided, type ParallelRun } from '../storage/runs/parallel-runs.ts'
import type { DecidableRun } from './decide-runs.ts'
import type { RecordedRow } from './recorded-row.ts'
import type { RunResult } from './run-result.ts'

/** How long a parallel run waits for locations without agents. */
export const parallelTimeoutMs = minuteMs

/** Returns the runs whose outcome is certain now. */
export async function prepareDecisions(
  client: Client,
  rows: readonly RecordedRow[],
  now: number,
): Promise<DecidableRun[]> {
  const final = rows
    .filter(({ result }) => result.resultType === 'FINAL' && !result.isCancelled)
    // All batches lock the rows of parallel runs in the same order.
    .sort((a, b) => (partKey(a) < partKey(b) ? -1 : 1))
  const thresholds = await readThresholds(client, final, now)
  const decidable: DecidableRun[] = []
  for (const recorded of final) {
    const { result } = recorded
    if (result.parallel === null) {
      decidable.push(singleRun(recorded))
      continue
    }
    const run = await addPart(client, recorded, result.parallel, now)
    const threshold = thresholds.get(result.checkId) ?? { enabled: false, percentage: 10 }
    const isCertain = run.done >= run.expected || isCertainlyFailing(run, run.expected, threshold)
    if (run.isDecided || !isCertain) continue
    await markDecided(client, run)
    decidable.push({
      ...parallelRun(run),
      ...lastLocation(result),
      completedAt: result.hasErrors ? null : result.stoppedAt,
    })
  }
  return decidable
}

function partKey({ result: { checkId, scheduledAt, checkSessionId } }: RecordedRow): string {
  return `${checkId} ${scheduledAt} ${checkSessionId}`
}

/** Only a failure can decide a run before its last location has reported. */
async function readThresholds(client: Client, rows: readonly RecordedRow[], now: number) {
  const failing = rows.filter(({ result }) => result.parallel !== null && result.hasFailures)
  if (failing.length === 0) return new Map<string, ParallelThreshold>()
  const ids = [...new Set(failing.map(({ row }) => row.checkId))]
  const policies = await readAlertPolicies(client, ids, now)
  return new Map([...policies].map(([id, { settings }]) => [id, settings.parallelRunFailureThreshold]))
}

function singleRun(recorded: RecordedRow): DecidableRun {
  const { result } = recorded
  const { hasFailures, isDegraded } = result
  return {
    ...result,
    completedAt: result.stoppedAt,
    lead: leadOf(recorded),
    counts: { locations: 1, failed: Number(hasFailures), degraded: Number(isDegraded && !hasFailures) },
  }
}

async function addPart(
  client: Client,
  recorded: RecordedRow,
  expected: number,
  now: number,
): Promise<ParallelRun> {
  const { result } = recorded
  return addParallelPart(client, {
    accountId: result.accountId,
    checkId: result.checkId,
    scheduledAt: result.scheduledAt,
    sessionId: result.checkSessionId,
    expected,
    failed: result.hasFailures,
    degraded: result.isDegraded,
    error: result.hasErrors,
    lead: leadOf(recorded),
    deadlineAt: now + parallelTimeoutMs,
  })
}

/** Locations whose result is an internal error don't count. */
export function parallelRun(run: ParallelRun): DecidableRun {
  return {
    accountId: run.accountId,
    checkId: run.checkId,
    runId: '',
    scheduledAt: run.scheduledAt,
    location: run.lead.location,
    ranAt: run.lead.ranAt ?? null,
    resultType: 'FINAL',
    hasFailures: run.failed > 0,
    isDegraded: run.degraded > 0,
    hasErrors: run.errors === run.done,
    isCancelled: false,
    responseTimeMs: run.lead.responseTimeMs,
    sslDaysRemaining: null,
    completedAt: null,
    lead: run.lead,
    counts: { locations: run.done - run.errors, failed: run.failed, degraded: run.degraded },
  }
}

/** The status shows the location that reported last. */
function lastLocation({ runId, location, ranAt, responseTimeMs, sslDaysRemaining }: RunResult) {
  return { runId, location, ranAt, responseTimeMs, sslDaysRemaining }
}

function leadOf({ id, row }: RecordedRow): TriggeringResult {
  return {
    resultId: id,
    location: row.location,
    ranAt: row.ranAt,
    responseTimeMs: row.responseTimeMs,
    statusCode: row.statusCode,
    error: row.failureMessage,
    scheduledAt: row.scheduledAt,
    startedAt: row.startedAt,
    errorGroupId: row.errorGroupIds[0] ?? null,
  }
}
