// Sessions move on when their runs end. In: results, and runs that nobody made. Out: sessions counted, closed and
// announced, all within the caller's transaction.
import { resultIdOf } from '../ingest/result-id.ts'
import type { RunResult } from '../ingest/run-result.ts'
import { upsertTestErrorGroups } from '../storage/test-session-error-groups.ts'
import {
  finishRuns,
  insertAttempts,
  listLostRuns,
  type TestAttempt,
} from '../storage/test-session-results.ts'
import { listTestScopes } from '../storage/test-sessions.ts'
import type { Client } from '../storage/transaction.ts'
import { runEndOf } from './check-session-state.ts'
import { byId, countEnded, endCheckRuns, endTestRuns } from './end-runs.ts'
import { sessionRunId } from './run-id.ts'
import { testErrorOf } from './test-error.ts'

/** Results that were just recorded and are final. */
export async function settleCheckSession(
  client: Client,
  sessionId: string,
  results: RunResult[],
  now: number,
): Promise<void> {
  const ends = results.filter(({ resultType }) => resultType === 'FINAL')
  await endCheckRuns(
    client,
    sessionId,
    ends.map((result) => ({ runId: result.runId, end: runEndOf(result) })),
    now,
  )
}

export interface TestRunResult extends RunResult {
  testSessionId: string
}

export async function settleTestRuns(client: Client, reported: TestRunResult[], now: number): Promise<void> {
  const scopes = await listTestScopes(client, [
    ...new Set(reported.map(({ testSessionId }) => testSessionId)),
  ])
  const attempts = reported.flatMap((result) => {
    const scope = scopes.get(result.testSessionId)
    if (scope === undefined) return []
    const error = testErrorOf(result, scope)
    return [{ result, error, row: attemptOf(result, error?.id ?? null) }]
  })
  const rowsOf = (type: RunResult['resultType']) =>
    attempts.filter(({ result }) => result.resultType === type).map(({ row }) => row)
  const inserted = await insertAttempts(client, rowsOf('ATTEMPT'))
  const finished = await finishRuns(client, rowsOf('FINAL'), now)
  const isNew = new Set([
    ...inserted.map(({ sequenceId, attempt }) => `ATTEMPT ${sequenceId} ${attempt}`),
    ...finished.map(({ sequenceId, attempt }) => `FINAL ${sequenceId} ${attempt}`),
  ])
  const fresh = attempts.filter(({ result: { resultType, runId, attempt } }) =>
    isNew.has(`${resultType} ${runId} ${attempt}`),
  )
  await upsertTestErrorGroups(
    client,
    fresh.flatMap(({ error }) => error ?? []),
  )
  const ended = fresh.filter(({ result }) => result.resultType === 'FINAL').map(({ row }) => row)
  await countEnded(client, ended, now)
}

export interface ExpiredRun {
  checkSessionId: string | null
  testSessionId: string | null
  checkId: string
  location: string
  /** Null: nobody ever took it. */
  runId: string | null
}

/** Nobody took them in time; their lanes are the caller's to delete. */
export async function expireSessionRuns(
  client: Client,
  runs: readonly ExpiredRun[],
  now: number,
): Promise<void> {
  const ofChecks = runs.filter(({ checkSessionId }) => checkSessionId !== null)
  const bySession = Map.groupBy(ofChecks, ({ checkSessionId }) => checkSessionId as string)
  for (const [sessionId, expired] of [...bySession].sort(byId)) {
    const ends = expired.map((run) => ({ runId: runIdOf(run, sessionId), end: 'timed_out' as const }))
    await endCheckRuns(client, sessionId, ends, now)
  }
  const ofTests = runs.flatMap((run) => {
    const { testSessionId, location } = run
    return testSessionId === null
      ? []
      : [{ testSessionId, sequenceId: runIdOf(run, testSessionId), location }]
  })
  await endTestRuns(client, ofTests, failedFor('No agent took this run within 6 minutes.'), now)
}

/** A run that was retried may be in another place by now; its id stays. */
function runIdOf({ runId, checkId, location }: ExpiredRun, sessionId: string): string {
  return runId ?? sessionRunId(sessionId, checkId, location)
}

const lostAfterMs = 600_000

/** Runs that left the queue without an end, as those of a deleted check do: their sessions must end too. */
export async function endLostTestRuns(client: Client, now: number): Promise<void> {
  const lost = await listLostRuns(client, now - lostAfterMs)
  await endTestRuns(client, lost, failedFor('The check was deleted before it ran.'), now)
}

function attemptOf(result: TestRunResult, errorGroupId: string | null): TestAttempt {
  const { runId, scheduledAt, attempt, hasFailures, hasErrors, isCancelled } = result
  return {
    id: resultIdOf(scheduledAt, runId, attempt),
    testSessionId: result.testSessionId,
    sequenceId: runId,
    attempt,
    status: isCancelled ? 'CANCELLED' : hasFailures || hasErrors ? 'FAILED' : 'PASSED',
    location: result.location,
    hasFailures,
    hasErrors,
    isDegraded: result.isDegraded,
    isCancelled,
    overMaxResponseTime: result.overMaxResponseTime,
    responseTimeMs: result.responseTimeMs,
    startedAt: result.startedAt,
    stoppedAt: result.stoppedAt,
    scheduleError: null,
    errorGroupIds: errorGroupId === null ? [] : [errorGroupId],
    detail: result.detail,
  }
}

function failedFor(scheduleError: string) {
  return { status: 'FAILED', hasErrors: true, scheduleError } as const
}
