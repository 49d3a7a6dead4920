// Sessions move on when their runs end. In: results, and runs that nobody made. Out: sessions counted, closed and
// announced, all within the caller's transaction.
import { recordArtifacts } from '../ingest/artifacts.ts'
import { resultIdOf } from '../ingest/result-id.ts'
import type { RunResult } from '../ingest/run-result.ts'
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
  const idOf = new Map([
    ...inserted.map(({ id, sequenceId, attempt }) => [`ATTEMPT ${sequenceId} ${attempt}`, id] as const),
    ...finished.map(({ id, sequenceId, attempt }) => [`FINAL ${sequenceId} ${attempt}`, id] as const),
  ])
  const fresh = attempts.flatMap((one) => {
    const { resultType, runId, attempt } = one.result
    const id = idOf.get(`${resultType} ${runId} ${attempt}`)
    return id === undefined ? [] : [{ ...one, id }]
  })
  await recordTestArtifacts(client, fresh)
  await upsertTestErrorGroups(
    client,
    fresh.flatMap(({ error }) => error ?? []),
  )
  const ended = fresh.filter(({ result }) => result.resultType === 'FINAL').map(({ row }) => row)
  await countEnded(client, ended, now)
}

/** The id is that of the row that shows the attempt: a final one took over the row that waited for it. */
async function recordTestArtifacts(
  client: Client,
  fresh: readonly { id: string; result: TestRunResult }[],
): Promise<void> {
  const leaving = fresh.flatMap(({ id, result }) =>
    result.artifacts?.length ? [{ ...result, resultId: id, artifacts: result.artifacts }] : [],
  )
  if (leaving.length === 0) return
  await ensureDays(
    client,
    leaving.map(({ scheduledAt }) => scheduledAt),
  )
  await recordArtifacts(client, leaving)
}

export interface ExpiredRun {
  checkSessionId: string | null
  testSessionId: string | null
  checkId: string
  checkType: string
  location: string
  queue: string
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
  const unserved = new Set(
    (await listUnservedTypes(client, runs.map(placeOf), now)).map(
      ({ locationKey, checkType }) => `${locationKey} ${checkType}`,
    ),
  )
  const ofTests = runs.flatMap((run) => {
    const { testSessionId, location, checkType } = run
    if (testSessionId === null) return []
    const isUnserved = unserved.has(`${placeOf(run).locationKey} ${checkType}`)
    const scheduleError = isUnserved
      ? `No agent in ${location} runs ${checkType} checks.`
      : 'No agent took this run within 6 minutes.'
    return [{ testSessionId, sequenceId: runIdOf(run, testSessionId), location, scheduleError }]
  })
  await endTestRuns(client, ofTests, { status: 'FAILED', hasErrors: true }, now)
}

function placeOf({ queue, checkType }: ExpiredRun): { locationKey: string; checkType: string } {
  return { locationKey: queue.split('/')[0] ?? '', checkType }
}

/** A run that was retried may be in another location by now; its id stays. */
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

function failedFor(scheduleError: string) {
  return { status: 'FAILED', hasErrors: true, scheduleError } as const
}
