import { createHash } from 'node:crypto'
import {
  type AgenticScript,
  ApiError,
  acceptAgenticScript,
  listAgenticScripts,
  rejectAgenticScript,
} from '@vedette/contracts'
import { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import * as scripts from '../../storage/checks/agentic-scripts.ts'
import { findCheck } from '../../storage/checks/check-reads.ts'
import { type Store, transact } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function agenticScriptRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  const decide = async (
    accountId: string,
    ids: { id: string; scriptId: string },
    status: 'current' | 'rejected',
  ) => {
    const promptHash = await promptHashOf(store, accountId, ids.id)
    return transact(db, async (tx) => {
      const script = orNotFound(await scripts.lockAgenticScript(tx, accountId, ids.id, ids.scriptId))
      if (script.status !== 'proposed') {
        throw new ApiError('conflict', {
          message: `Only a proposed script can be accepted or rejected: this one is ${script.status}.`,
          attributes: { status: script.status },
        })
      }
      const decided = await scripts.updateScriptStatus(tx, script, status, clock.now())
      return serializeScript(decided, promptHash)
    })
  }
  return [
    handle(listAgenticScripts, async ({ account, params }) => {
      const promptHash = await promptHashOf(store, account.id, params.id)
      const rows = await scripts.listAgenticScripts(db, account.id, params.id)
      return rows.map((row) => serializeScript(row, promptHash))
    }),
    handle(acceptAgenticScript, ({ account, params }) => decide(account.id, params, 'current')),
    handle(rejectAgenticScript, ({ account, params }) => decide(account.id, params, 'rejected')),
  ]
}

const AgenticSettings = z.object({ prompt: z.string() })

/** Of the check as it is now; 404 if it isn't an agentic check of the account. */
async function promptHashOf(store: Store, accountId: string, checkId: string): Promise<string> {
  const check = orNotFound(await findCheck(store, accountId, checkId))
  if (check.check_type !== 'AGENTIC') throw new ApiError('not_found')
  const { prompt } = AgenticSettings.parse(check.settings)
  return createHash('sha256').update(prompt).digest('hex')
}

function serializeScript(row: scripts.AgenticScriptRow, promptHash: string): z.output<typeof AgenticScript> {
  return {
    id: row.id,
    status: row.status,
    script: row.script,
    promptHash: row.prompt_hash,
    isForCurrentPrompt: row.prompt_hash === promptHash,
    resultId: row.result_id,
    created_at: row.created_at,
    decidedAt: row.decided_at,
  }
}
