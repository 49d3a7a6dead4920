import { z } from 'zod'
import { addition, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { ranAtField } from '../runs/runs.ts'
import { stateFields } from './check-state.ts'

export const CheckStatus = z
  .object({
    name: z.string().describe('Of the check'),
    checkId: Uuid,
    hasFailures: z.boolean(),
    hasErrors: z.boolean().describe('The last run ended with an internal error'),
    isDegraded: z.boolean(),
    longestRun: z.number().nullable().describe('Milliseconds, of all time'),
    shortestRun: z.number().nullable().describe('Milliseconds, of all time'),
    lastRunLocation: z.string().nullable(),
    ranAt: addition(ranAtField),
    lastCheckRunId: z.string().nullable(),
    sslDaysRemaining: z.int().nullable(),
    created_at: Timestamp.describe('When its first run ended; before that, when the check was created'),
    updated_at: Timestamp.nullable(),
    ...stateFields,
  })
  .meta({ id: 'CheckStatus' })

const tag = 'Check statuses'

export const listCheckStatuses = route({
  method: 'GET',
  path: '/v1/check-statuses',
  tag,
  summary: 'List the statuses of all checks',
  description:
    'Every check is listed, all at once; one that never ran has the state unknown. The state is derived when it is read, ' +
    'so it never depends on a background task.',
  access: 'READ_ONLY',
  status: 200,
  response: z.array(CheckStatus.nullable()),
})

export const getCheckStatus = route({
  method: 'GET',
  path: '/v1/check-statuses/{checkId}',
  tag,
  summary: 'Read the status of a check',
  access: 'READ_ONLY',
  params: z.object({ checkId: Uuid }),
  status: 200,
  response: CheckStatus,
})
