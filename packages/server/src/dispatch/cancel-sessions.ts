import type { Client } from '../storage/core/transaction.ts'
import { deleteSessionRuns } from '../storage/runs/session-runs.ts'
import { listPendingRuns } from '../storage/runs/test-session-results.ts'
import { endCheckRuns, endTestRuns } from './end-runs.ts'

/** An agent that runs one of them learns it when it renews the lease. */
export async function cancelCheckRuns(
  client: Client,
  session: { id: string; runs: { runId: string; location: string }[] },
  now: number,
): Promise<void> {
  const locations = session.runs.map(({ location }) => location)
  await deleteSessionRuns(client, 'check', session.id, locations)
  const ends = session.runs.map(({ runId }) => ({ runId, end: 'cancelled' as const }))
  await endCheckRuns(client, session.id, ends, now)
}

export async function cancelTestRuns(
  client: Client,
  sessionId: string,
  sequenceIds: readonly string[] | undefined,
  now: number,
): Promise<void> {
  const pending = await listPendingRuns(client, sessionId)
  const chosen = pending.filter(({ sequenceId }) => sequenceIds?.includes(sequenceId) ?? true)
  await deleteSessionRuns(
    client,
    'test',
    sessionId,
    chosen.map(({ sequenceId }) => sequenceId),
  )
  await endTestRuns(client, chosen, { status: 'CANCELLED', isCancelled: true }, now)
}
