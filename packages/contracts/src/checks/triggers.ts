import { z } from 'zod'
import { SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'

const trigger = {
  id: SerialId,
  token: z.string().describe('The secret that the trigger URL ends with'),
  created_at: Timestamp,
  called_at: Timestamp.nullable().describe('When the URL was last called'),
  updated_at: Timestamp.nullable(),
}
const example = {
  id: 1,
  token: 'h7QkN2_tXw4a',
  created_at: '2026-11-15T08:00:00.000Z',
  called_at: null,
  updated_at: null,
}

export const CheckTrigger = z
  .object({ ...trigger, checkId: Uuid })
  .meta({ id: 'CheckTrigger', examples: [{ ...example, checkId: '9b1f5a3e-6d0c-4b7e-8f53-2f0f4d3a7c11' }] })

export const CheckGroupTrigger = z
  .object({ ...trigger, groupId: SerialId })
  .meta({ id: 'CheckGroupTrigger', examples: [{ ...example, groupId: 12 }] })

/** One list shows both. */
export const Trigger = z
  .object({
    ...trigger,
    checkId: Uuid.nullable(),
    groupId: SerialId.nullable(),
    name: z.string().describe('Of the check or of the group'),
    url: z.string().describe('What to call'),
  })
  .meta({ id: 'Trigger' })

const tag = 'Triggers'
const checkParams = z.object({ checkId: Uuid })
const groupParams = z.object({ groupId: SerialId })
const createNote = 'There is one trigger per target: creating it again returns the existing one.'

export const listTriggers = route({
  method: 'GET',
  path: '/v1/triggers',
  tag,
  summary: 'List the triggers of checks and groups, the latest first',
  access: 'READ_RUN',
  query: PagedQuery,
  status: 200,
  response: z.array(Trigger),
  paged: true,
})

export const createCheckTrigger = route({
  method: 'POST',
  path: '/v1/triggers/checks/{checkId}',
  tag,
  summary: 'Create the trigger of a check',
  description: createNote,
  access: 'READ_WRITE',
  params: checkParams,
  status: 201,
  response: CheckTrigger,
  deprecated: true,
})

export const getCheckTrigger = route({
  method: 'GET',
  path: '/v1/triggers/checks/{checkId}',
  tag,
  summary: 'Read the trigger of a check',
  // The token runs the check, so reading it needs the right to run checks.
  access: 'READ_RUN',
  params: checkParams,
  status: 200,
  response: CheckTrigger,
  deprecated: true,
})

export const deleteCheckTrigger = route({
  method: 'DELETE',
  path: '/v1/triggers/checks/{checkId}',
  tag,
  summary: 'Delete the trigger of a check',
  access: 'READ_WRITE',
  params: checkParams,
  status: 204,
  deprecated: true,
})

export const createCheckGroupTrigger = route({
  method: 'POST',
  path: '/v1/triggers/check-groups/{groupId}',
  tag,
  summary: 'Create the trigger of a check group',
  description: createNote,
  access: 'READ_WRITE',
  params: groupParams,
  status: 201,
  response: CheckGroupTrigger,
  deprecated: true,
})

export const getCheckGroupTrigger = route({
  method: 'GET',
  path: '/v1/triggers/check-groups/{groupId}',
  tag,
  summary: 'Read the trigger of a check group',
  access: 'READ_RUN',
  params: groupParams,
  status: 200,
  response: CheckGroupTrigger,
  deprecated: true,
})

export const deleteCheckGroupTrigger = route({
  method: 'DELETE',
  path: '/v1/triggers/check-groups/{groupId}',
  tag,
  summary: 'Delete the trigger of a check group',
  access: 'READ_WRITE',
  params: groupParams,
  status: 204,
  deprecated: true,
})
