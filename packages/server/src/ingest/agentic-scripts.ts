// Scripts that runs of agentic checks wrote, kept in the transaction that records those runs. A repaired one is only ever
// a proposal: no run changes what is monitored.
import { createHash } from 'node:crypto'
import type { ReportedResult } from '@vedette/contracts'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'
import { insertFirstScript, insertProposedScript } from '../storage/checks/agentic-scripts.ts'
import type { Client } from '../storage/core/transaction.ts'
import { resultIdOf } from './result-id.ts'
import type { RunResult } from './run-result.ts'

export interface ScriptingRun {
  result: RunResult
  agenticScript: NonNullable<ReportedResult['agenticScript']>
}

/** Only for runs that were really recorded: a double writes nothing. */
export async function recordAgenticScripts(
  client: Client,
  runs: readonly ScriptingRun[],
  now: number,
): Promise<void> {
  const ofAgentic = runs.filter(({ result }) => result.checkType === 'AGENTIC')
  // One order for all batches.
  for (const { result, agenticScript } of ofAgentic.toSorted(byCheck)) {
    const { kind, promptHash, script } = agenticScript
    const resultId = resultIdOf(result.scheduledAt, result.runId, result.attempt)
    const { accountId, checkId } = result
    const written = {
      id: scriptIdOf(resultId),
      accountId,
      checkId,
      promptHash,
      script: script.replaceAll('\0', '').toWellFormed(),
      resultId,
    }
    if (kind === 'first') await insertFirstScript(client, written, now)
    else await insertProposedScript(client, written, now)
  }
}

function byCheck(a: ScriptingRun, b: ScriptingRun): number {
  return a.result.checkId < b.result.checkId ? -1 : 1
}

/** Follows from the result: reported twice, it is the same script. */
function scriptIdOf(resultId: string): string {
  return uuidFromDigest(createHash('sha256').update(`agentic script ${resultId}`).digest(), 8)
}
