// Runs end: passed, failed, given up or cancelled. In: which runs, and how. Out: their sessions counted, and closed with
// the last of them, by an update of the session's own row. A run ends once, and a closed session stays as it is.
import type { Client } from '../storage/core/transaction.ts'
import { lockCheckSession, updateCheckSession } from '../storage/runs/check-sessions.ts'
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
  // A run that was given up may be reported late: it ends once.
  const ended = runs.filter(({ runId }) => session.options.pending.includes(runId))
  if (ended.length === 0) return
  const isEnded = new Set(ended.map(({ runId }) => runId))
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
    options: { ...session.options, pending: session.options.pending.filter((id) => !isEnded.has(id)) },
  })
  if (!isClosed) return
  if (session.options.next !== null) await releaseSessionRuns(client, session.options.next, now)
  announceEnd(sessionId)
}

/** Without an agent's result. */
export async function endTestRuns(
  client: Client,
  runs: readonly (Pick<TestAttempt, 'testSessionId' | 'sequenceId' | 'location'> & Partial<TestAttempt>)[],
  how: Partial<TestAttempt> & Pick<TestAttempt, 'status'>,
  now: number,
): Promise<void> {
  if (runs.length === 0) return
  const rows = runs.map((run) => ({ ...unmade, ...how, ...run }))
  const finished = new Set((await finishRuns(client, rows, now)).map(({ sequenceId }) => sequenceId))
  await countEnded(
    client,
    rows.filter(({ sequenceId }) => finished.has(sequenceId)),
    now,
  )
}

export async function countEnded(client: Client, ended: readonly TestAttempt[], now: number): Promise<void> {
  for (const [sessionId, rows] of [...Map.groupBy(ended, ({ testSessionId }) => testSessionId)].sort(byId)) {
    const count = (wanted: TestAttempt['status']) => rows.filter(({ status }) => status === wanted).length
    const runs = { done: rows.length, failed: count('FAILED'), cancelled: count('CANCELLED') }
    if (await countTestRuns(client, sessionId, runs, now)) announceEnd(sessionId)
  }
}

/** One order for all transactions: they wait for each other in a line, never in a circle. */
export function byId([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

/** A run that no agent made: there is nothing to tell of it but how it ended. */
const unmade = {
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
