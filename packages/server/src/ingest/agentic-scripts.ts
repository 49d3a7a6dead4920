// Stores scripts that runs of agentic checks wrote, in the transaction that records those runs. A repaired script is only a
// proposal: no run changes what is monitored.
import { createHash } from 'node:crypto'
import type { ReportedResult } from '@vedette/contracts'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'
import { insertFirstScript, insertProposedScript } from '../storage/checks/agentic-scripts.ts'
import type { Client } from '../storage/core/transaction.ts'
import { toStorable } from './recorded-row.ts'
import { resultIdOf } from './result-id.ts'
import type { RunResult } from './run-result.ts'

export interface RunWithScript {
  result: RunResult
  agenticScript: NonNullable<ReportedResult['agenticScript']>
}

/** `runs`: only those whose results were inserted now. */
export async function recordAgenticScripts(
  client: Client,
  runs: readonly RunWithScript[],
  now: number,
): Promise<void> {
  const agentic = runs.filter(({ result }) => result.checkType === 'AGENTIC')
  // All batches lock checks in the same order.
  for (const { result, agenticScript } of agentic.toSorted(byCheck)) {
    const { kind, promptHash, script } = agenticScript
    const resultId = resultIdOf(result.scheduledAt, result.runId, result.attempt)
    const { accountId, checkId } = result
    const written = {
      id: scriptIdOf(resultId),
      accountId,
      checkId,
      promptHash,
      script: toStorable(script),
      resultId,
    }
    if (kind === 'first') await insertFirstScript(client, written, now)
    else await insertProposedScript(client, written, now)
  }
}

function byCheck(a: RunWithScript, b: RunWithScript): number {
  return a.result.checkId < b.result.checkId ? -1 : 1
}

/** Derived from the result: a script that is reported twice has one id. */
function scriptIdOf(resultId: string): string {
  return uuidFromDigest(createHash('sha256').update(`agentic script ${resultId}`).digest(), 8)
}
