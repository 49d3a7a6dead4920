// Runs that end without another attempt: what was known of them by then is what they come to.
import type { CheckType, FailureKind } from '@vedette/contracts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import type { Client } from '../storage/core/transaction.ts'
import { finalizeAttempt } from '../storage/results/result-writes.ts'
import { decidableRuns } from './decidable-run.ts'
import { decideRuns } from './decide-runs.ts'
import { markHours } from './pending-hours.ts'
import { recordedRow } from './recorded-row.ts'
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

/** The last attempt becomes the final one; null when there was none. */
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
    source: row.source as RunResult['source'],
    resultType: 'FINAL',
    metrics: [],
    sslDaysRemaining: null,
    failure:
      failureKind === null ? null : { kind: failureKind as FailureKind, message: failureMessage ?? '' },
    detail: null,
    parallel: run.parallel,
  }
  await markHours(client, [result], context.now)
  await decide(client, result, context)
  return result
}

/** A location that never reported must not keep a parallel run from being decided: it says nothing of the target. */
export async function endParallelPart(
  client: Client,
  run: EndedRun,
  context: DecisionContext,
): Promise<void> {
  if (run.parallel === null) return
  const silent: RunResult = {
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
  await decide(client, silent, context)
}

async function decide(client: Client, result: RunResult, context: DecisionContext): Promise<void> {
  await decideRuns(client, await decidableRuns(client, [recordedRow(result)], context.now), context)
}
