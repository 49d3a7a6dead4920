// The scripts that agentic checks replay. The first run writes a script; a failing replay may propose another, which is
// used once it's accepted.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

export const agenticScriptStatuses = ['current', 'proposed', 'rejected', 'replaced'] as const

/** Older ones are deleted, whatever their status. */
export const maxAgenticScripts = 50

export const AgenticScript = z
  .object({
    id: Uuid,
    status: z
      .enum(agenticScriptStatuses)
      .describe('current: runs replay it; proposed: a repaired one that waits to be accepted or rejected'),
    script: z.string().describe('An ordinary Playwright test'),
    promptHash: z.string().describe('SHA-256 of the prompt that it was written for, in hex'),
    isForCurrentPrompt: z.boolean().describe("false: the prompt has changed since, and runs don't use it"),
    resultId: Uuid.nullable().describe('Of the run that wrote it'),
    created_at: Timestamp,
    decidedAt: Timestamp.nullable().describe('When it was accepted, rejected or replaced'),
  })
  .meta({ id: 'AgenticScript' })

const tag = 'Checks'
const params = z.object({ id: Uuid })
const scriptParams = z.object({ id: Uuid, scriptId: Uuid })
const folder = '/v1/checks/agentic/{id}/scripts'

export const listAgenticScripts = route({
  method: 'GET',
  path: folder,
  tag,
  summary: 'List the scripts of an agentic check, the newest first',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.array(AgenticScript),
})

export const acceptAgenticScript = route({
  method: 'POST',
  path: `${folder}/{scriptId}/accept`,
  tag,
  summary: 'Use a proposed script instead of the current one',
  access: 'READ_WRITE',
  params: scriptParams,
  status: 200,
  response: AgenticScript,
  errors: [409],
})

export const rejectAgenticScript = route({
  method: 'POST',
  path: `${folder}/{scriptId}/reject`,
  tag,
  summary: 'Reject a proposed script: the current one stays in use',
  access: 'READ_WRITE',
  params: scriptParams,
  status: 200,
  response: AgenticScript,
  errors: [409],
})
