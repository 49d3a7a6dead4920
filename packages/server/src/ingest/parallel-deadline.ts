// Runs in several locations of which one never reports: nobody claimed it there. They are decided by those that did.
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import type { Client } from '../storage/core/transaction.ts'
import { claimOverdueParallelRuns } from '../storage/runs/parallel-runs.ts'
import { parallelPatienceMs, parallelRun } from './decidable-run.ts'
import { decideRuns } from './decide-runs.ts'

/** Returns how many it decided: as many as the limit means that there is more to do. */
export async function decideOverdueParallelRuns(
  client: Client,
  context: DecisionContext,
  limit = 500,
): Promise<number> {
  const { now } = context
  const runs = await claimOverdueParallelRuns(client, { now, limit, moreMs: parallelPatienceMs / 2 })
  await decideRuns(client, runs.map(parallelRun), context)
  return runs.length
}
