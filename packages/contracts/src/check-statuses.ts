import { z } from 'zod'
import { addition, Timestamp, Uuid } from './fields.ts'
import { route } from './route.ts'
import { ranAtField } from './runs.ts'

export const CheckStatus = z
  .object({
    name: z.string().describe('Of the check'),
    checkId: Uuid,
    hasFailures: z.boolean(),
    hasErrors: z.boolean().describe('The last run ended with our own error'),
    isDegraded: z.boolean(),
    longestRun: z.number().nullable().describe('Milliseconds, of all time'),
    shortestRun: z.number().nullable().describe('Milliseconds, of all time'),
    lastRunLocation: z.string().nullable(),
    ranAt: addition(ranAtField),
    lastCheckRunId: z.string().nullable(),
    sslDaysRemaining: z.int().nullable(),
    created_at: Timestamp.describe('When its first run ended'),
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'CheckStatus' })

const tag = 'Check statuses'

export const listCheckStatuses = route({
  method: 'GET',
  path: '/v1/check-statuses',
  tag,
  summary: 'List the statuses of all checks',
  description: 'A check has a status from its first run on. All at once, whatever their number.',
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
