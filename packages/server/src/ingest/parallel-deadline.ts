// Decides parallel runs of which a location never reports, because no agent claimed it there.
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import type { Client } from '../storage/core/transaction.ts'
import { claimOverdueParallelRuns } from '../storage/runs/parallel-runs.ts'
import { parallelRun, parallelTimeoutMs } from './decidable-run.ts'
import { decideRuns } from './decide-runs.ts'

/** Returns the number of decided runs: if that is the limit, there may be more. */
export async function decideOverdueParallelRuns(
  client: Client,
  context: DecisionContext,
  limit = 500,
): Promise<number> {
  const { now } = context
  const runs = await claimOverdueParallelRuns(client, { now, limit, moreMs: parallelTimeoutMs / 2 })
  await decideRuns(client, runs.map(parallelRun), context)
  return runs.length
}
