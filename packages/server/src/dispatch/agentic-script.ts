// The script that a run of an agentic check replays: the one written for the current prompt. Pure.
import { createHash } from 'node:crypto'
import type { Job } from '@vedette/contracts'
import type { OpenScript } from '../storage/checks/agentic-scripts.ts'

export function agenticScriptFor(
  prompt: string | null,
  scripts: readonly OpenScript[] | undefined,
): Job['agenticScript'] {
  if (prompt === null || scripts === undefined) return null
  const promptHash = createHash('sha256').update(prompt).digest('hex')
  const matching = scripts.filter(({ prompt_hash }) => prompt_hash === promptHash)
  const current = matching.find(({ status }) => status === 'current')
  if (current === undefined) return null
  const isRepairProposed = matching.some(({ status }) => status === 'proposed')
  return { script: current.script, promptHash, isRepairProposed }
}
