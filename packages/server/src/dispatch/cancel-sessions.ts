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
  session: { id: string; location: string },
  sequenceIds: readonly string[] | undefined,
  now: number,
): Promise<void> {
  const pending = await listPendingRuns(client, session.id)
  const chosen = sequenceIds === undefined ? pending : pending.filter((id) => sequenceIds.includes(id))
  await deleteSessionRuns(client, 'test', session.id, chosen)
  const runs = chosen.map((sequenceId) => ({
    testSessionId: session.id,
    sequenceId,
    location: session.location,
  }))
  await endTestRuns(client, runs, { status: 'CANCELLED', isCancelled: true }, now)
}
