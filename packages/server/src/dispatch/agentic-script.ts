// What a run of an agentic check replays: the script for the very prompt that the check has now. Pure.
import { createHash } from 'node:crypto'
import type { Job } from '@vedette/contracts'
import type { OpenScript } from '../storage/checks/agentic-scripts.ts'

export function agenticScriptFor(
  prompt: unknown,
  scripts: readonly OpenScript[] | undefined,
): Job['agenticScript'] {
  if (typeof prompt !== 'string' || scripts === undefined) return null
  const promptHash = createHash('sha256').update(prompt).digest('hex')
  const fitting = scripts.filter(({ prompt_hash }) => prompt_hash === promptHash)
  const current = fitting.find(({ status }) => status === 'current')
  if (current === undefined) return null
  const isRepairProposed = fitting.some(({ status }) => status === 'proposed')
  return { script: current.script, promptHash, isRepairProposed }
}
