// Ends runs of sessions. In: runs and how they ended. Out: their sessions, counted, and closed with their last run.
// A run ends once, and a closed session doesn't change any more.
import type { Client } from '../storage/core/transaction.ts'
import { lockCheckSession, updateCheckSession } from '../storage/runs/check-sessions.ts'
import { deleteDrafts } from '../storage/runs/drafts.ts'
import { releaseSessionRuns } from '../storage/runs/session-runs.ts'
import { finishRuns, type TestAttempt } from '../storage/runs/test-session-results.ts'
import { countTestRuns } from '../storage/runs/test-sessions.ts'
import { addEnds, isOver, type RunEnd, statusOf } from './check-session-state.ts'
import { announceEnd } from './session-watch.ts'

export async function endCheckRuns(
  client: Client,
  sessionId: string,
  runs: readonly { runId: string; end: RunEnd }[],
  now: number,
): Promise<void> {
  const session = await lockCheckSession(client, sessionId)
  if (session === null || session.stopped_at !== null) return
  // A run that was given up may still be reported: only its first end counts.
  const ended = runs.filter(({ runId }) => session.options.pending.includes(runId))
  if (ended.length === 0) return
  const endedIds = new Set(ended.map(({ runId }) => runId))
  const counts = addEnds(
    { ...session, timedOut: session.timed_out },
    ended.map(({ end }) => end),
  )
  const isClosed = isOver(counts)
  await updateCheckSession(client, {
    ...counts,
    id: sessionId,
    timed_out: counts.timedOut,
    status: statusOf(counts),
    stoppedAt: isClosed ? now : null,
    options: { ...session.options, pending: session.options.pending.filter((id) => !endedIds.has(id)) },
  })
  if (!isClosed) return
  if (session.options.next !== null) await releaseSessionRuns(client, session.options.next, now)
  announceEnd(sessionId)
}

/** Ends runs that have no result of an agent. */
export async function endTestRuns(
  client: Client,
  runs: readonly (Pick<TestAttempt, 'testSessionId' | 'sequenceId' | 'location'> & Partial<TestAttempt>)[],
  how: Partial<TestAttempt> & Pick<TestAttempt, 'status'>,
  now: number,
): Promise<void> {
  if (runs.length === 0) return
  const rows = runs.map((run) => ({ ...withoutResult, ...how, ...run }))
  const finished = new Set((await finishRuns(client, rows, now)).map(({ sequenceId }) => sequenceId))
  await countEndedRuns(
    client,
    rows.filter(({ sequenceId }) => finished.has(sequenceId)),
    now,
  )
}

export async function countEndedRuns(
  client: Client,
  ended: readonly TestAttempt[],
  now: number,
): Promise<void> {
  for (const [sessionId, rows] of groupBySession(ended, ({ testSessionId }) => testSessionId)) {
    const count = (wanted: TestAttempt['status']) => rows.filter(({ status }) => status === wanted).length
    const runs = { done: rows.length, failed: count('FAILED'), cancelled: count('CANCELLED') }
    if (!(await countTestRuns(client, sessionId, runs, now))) continue
    await deleteDrafts(client, sessionId)
    announceEnd(sessionId)
  }
}

/** Sorted by id: all transactions lock sessions in the same order, so they can't deadlock. */
export function groupBySession<T>(
  items: readonly T[],
  idOf: (item: T) => string | null,
): [sessionId: string, items: T[]][] {
  const groups = [...Map.groupBy(items, idOf)]
  return groups
    .flatMap(([id, members]): [string, T[]][] => (id === null ? [] : [[id, members]]))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const withoutResult = {
  id: null,
  attempt: 0,
  ranAt: null,
  hasFailures: false,
  hasErrors: false,
  isDegraded: false,
  isCancelled: false,
  overMaxResponseTime: false,
  responseTimeMs: null,
  startedAt: null,
  stoppedAt: null,
  scheduleError: null,
  errorGroupIds: [],
  detail: null,
}
