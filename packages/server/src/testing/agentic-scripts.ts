// Scripts of agentic checks as runs leave them.
import { createHash, randomUUID } from 'node:crypto'
import {
  insertFirstScript,
  insertProposedScript,
  type WrittenScript,
} from '../storage/checks/agentic-scripts.ts'
import type { Store } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'

export function promptHashOf(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex')
}

/** Returns their ids: one in use, and one that waits for review. */
export async function createAgenticScripts(
  store: Pick<Store, 'pool'>,
  owner: { accountId: string },
  { checkId, prompt, now = Date.now() }: { checkId: string; prompt: string; now?: number },
): Promise<{ currentId: string; proposedId: string }> {
  const written = (script: string): WrittenScript => ({
    id: randomUUID(),
    accountId: owner.accountId,
    checkId,
    promptHash: promptHashOf(prompt),
    script,
    resultId: randomUUID(),
  })
  const [first, repaired] = [written('// first'), written('// repaired')]
  await inTransaction(store.pool, async (client) => {
    await insertFirstScript(client, first, now)
    await insertProposedScript(client, repaired, now + 1)
  })
  return { currentId: first.id, proposedId: repaired.id }
}
