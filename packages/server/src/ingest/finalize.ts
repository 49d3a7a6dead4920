// Ends runs whose retry was lost, or that have no result at all.
import type { CheckType } from '@vedette/contracts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import type { Client } from '../storage/core/transaction.ts'
import { finalizeAttempt } from '../storage/results/result-writes.ts'
import { prepareDecisions } from './decidable-run.ts'
import { decideRuns } from './decide-runs.ts'
import { markHours } from './pending-hours.ts'
import { toRecordedRow } from './recorded-row.ts'
import type { RunResult } from './run-result.ts'

export interface EndedRun {
  accountId: string
  checkId: string
  checkType: CheckType
  scheduledAt: number
  runId: string
  location: string
  parallel: number | null
}

/** Makes the last attempt final; null if there was none. */
export async function finalizeRun(
  client: Client,
  run: EndedRun,
  context: DecisionContext,
): Promise<RunResult | null> {
  const row = await finalizeAttempt(client, run)
  if (row === null) return null
  const { failureKind, failureMessage } = row
  const result: RunResult = {
    ...row,
    checkType: run.checkType,
    resultType: 'FINAL',
    metrics: [],
    sslDaysRemaining: null,
    failure: failureKind === null ? null : { kind: failureKind, message: failureMessage ?? '' },
    detail: null,
    parallel: run.parallel,
  }
  await markHours(client, [result], context.now)
  await decide(client, result, context)
  return result
}

/** Counts a location that never reported as an internal error, so that the parallel run can be decided. */
export async function endParallelPart(
  client: Client,
  run: EndedRun,
  context: DecisionContext,
): Promise<void> {
  if (run.parallel === null) return
  const result: RunResult = {
    ...run,
    attempt: 1,
    source: 'schedule',
    ranAt: null,
    resultType: 'FINAL',
    startedAt: run.scheduledAt,
    stoppedAt: run.scheduledAt,
    responseTimeMs: null,
    hasFailures: false,
    hasErrors: true,
    isDegraded: false,
    isCancelled: false,
    overMaxResponseTime: false,
    statusCode: null,
    metrics: [],
    sslDaysRemaining: null,
    failure: null,
    detail: null,
    checkSessionId: null,
  }
  await decide(client, result, context)
}

async function decide(client: Client, result: RunResult, context: DecisionContext): Promise<void> {
  await decideRuns(client, await prepareDecisions(client, [toRecordedRow(result)], context.now), context)
}
