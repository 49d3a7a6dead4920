// Updates sessions when their runs end. In: results, and runs without a result. Out: sessions counted, closed and announced,
// in the caller's transaction.
import { recordArtifacts } from '../ingest/artifacts.ts'
import { resultIdOf } from '../ingest/result-id.ts'
import type { RunResult } from '../ingest/run-result.ts'
import { locationKeyOf } from '../schedule/queue.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import type { Client } from '../storage/core/transaction.ts'
import { listUnservedTypes } from '../storage/runs/agents.ts'
import { upsertTestErrorGroups } from '../storage/runs/test-session-error-groups.ts'
import {
  finishRuns,
  insertAttempts,
  listLostRuns,
  type TestAttempt,
} from '../storage/runs/test-session-results.ts'
import { listTestScopes } from '../storage/runs/test-sessions.ts'
import { runEndOf } from './check-session-state.ts'
import { countEndedRuns, endCheckRuns, endTestRuns, groupBySession } from './end-runs.ts'
import { sessionRunId } from './run-id.ts'
import { testErrorOf } from './test-error.ts'

/** `results`: recorded in this transaction. */
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
  const idOf = new Map([
    ...inserted.map(({ id, sequenceId, attempt }) => [`ATTEMPT ${sequenceId} ${attempt}`, id] as const),
    ...finished.map(({ id, sequenceId, attempt }) => [`FINAL ${sequenceId} ${attempt}`, id] as const),
  ])
  const stored = attempts.flatMap((reportedAttempt) => {
    const { resultType, runId, attempt } = reportedAttempt.result
    const id = idOf.get(`${resultType} ${runId} ${attempt}`)
    return id === undefined ? [] : [{ ...reportedAttempt, id }]
  })
  await recordTestArtifacts(client, stored)
  await upsertTestErrorGroups(
    client,
    stored.flatMap(({ error }) => error ?? []),
  )
  const ended = stored.filter(({ result }) => result.resultType === 'FINAL').map(({ row }) => row)
  await countEndedRuns(client, ended, now)
}

/** `id`: of the attempt's row. A final attempt reuses the row of the pending result. */
async function recordTestArtifacts(
  client: Client,
  attempts: readonly { id: string; result: TestRunResult }[],
): Promise<void> {
  const results = attempts.flatMap(({ id, result }) =>
    result.artifacts?.length ? [{ ...result, resultId: id, artifacts: result.artifacts }] : [],
  )
  if (results.length === 0) return
  await ensureDays(
    client,
    results.map(({ scheduledAt }) => scheduledAt),
  )
  await recordArtifacts(client, results)
}

export interface ExpiredRun {
  checkSessionId: string | null
  testSessionId: string | null
  checkId: string
  checkType: string
  location: string
  queue: string
  /** Null: no agent claimed it. */
  runId: string | null
}

/** Ends runs that no agent claimed in time. The caller deletes their lanes. */
export async function expireSessionRuns(
  client: Client,
  runs: readonly ExpiredRun[],
  now: number,
): Promise<void> {
  for (const [sessionId, expired] of groupBySession(runs, ({ checkSessionId }) => checkSessionId)) {
    const ends = expired.map((run) => ({ runId: runIdOf(run, sessionId), end: 'timed_out' as const }))
    await endCheckRuns(client, sessionId, ends, now)
  }
  const unserved = new Set(
    (
      await listUnservedTypes(
        client,
        runs.map(({ queue, checkType }) => ({ locationKey: locationKeyOf(queue), checkType })),
        now,
      )
    ).map(({ locationKey, checkType }) => `${locationKey} ${checkType}`),
  )
  const ofTests = runs.flatMap((run) => {
    const { testSessionId, location, checkType, queue } = run
    if (testSessionId === null) return []
    const isUnserved = unserved.has(`${locationKeyOf(queue)} ${checkType}`)
    const scheduleError = isUnserved
      ? `No agent in ${location} runs ${checkType} checks.`
      : run.runId === null
        ? 'No agent took this run within 6 minutes.'
        : 'The agent that claimed this run stopped responding, and no other agent took it over.'
    return [{ testSessionId, sequenceId: runIdOf(run, testSessionId), location, scheduleError }]
  })
  await endTestRuns(client, ofTests, { status: 'FAILED', hasErrors: true }, now)
}

/** A retry may move the run to another location; its id stays the same. */
function runIdOf({ runId, checkId, location }: ExpiredRun, sessionId: string): string {
  return runId ?? sessionRunId(sessionId, checkId, location)
}

const lostAfterMs = 600_000

/** Ends runs that left the queue without an end, such as those of a deleted check or location: their sessions must end too. */
export async function endLostTestRuns(client: Client, now: number): Promise<void> {
  const lost = await listLostRuns(client, now - lostAfterMs)
  const scheduleError =
    'The check or the private location was deleted before it ran, or the server was restored from a backup.'
  await endTestRuns(client, lost, { status: 'FAILED', hasErrors: true, scheduleError }, now)
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
    ranAt: result.ranAt,
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
