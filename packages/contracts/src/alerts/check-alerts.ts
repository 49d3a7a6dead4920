import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { addition, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { WindowQuery } from '../core/time-window.ts'
import { ranAtField } from '../runs/runs.ts'

/** spec §2.9 */
export const alertTypes = [
  'NO_ALERT',
  'ALERT_FAILURE',
  'ALERT_FAILURE_REMAIN',
  'ALERT_FAILURE_DEGRADED',
  'ALERT_RECOVERY',
  'ALERT_DEGRADED',
  'ALERT_DEGRADED_REMAIN',
  'ALERT_DEGRADED_FAILURE',
  'ALERT_DEGRADED_RECOVERY',
  'ALERT_SSL',
] as const

export type AlertType = (typeof alertTypes)[number]

export const CheckAlert = z
  .object({
    id: Uuid,
    name: z.string().describe('Of the check, as it was then'),
    checkId: Uuid,
    alertType: z.enum(alertTypes).describe('NO_ALERT: a change of state of which no one was notified'),
    checkType: CheckType,
    runLocation: z.string(),
    ranAt: addition(ranAtField),
    responseTime: z.number(),
    error: z.string().nullable(),
    statusCode: z.string().nullable().describe('API checks and URL monitors only'),
    created_at: Timestamp,
    startedAt: Timestamp.describe('Of the run'),
  })
  .meta({ id: 'CheckAlert' })

const tag = 'Check alerts'
const query = PagedQuery.extend(WindowQuery.shape)

export const listAlerts = route({
  method: 'GET',
  path: '/v1/check-alerts',
  tag,
  summary: 'List the alerts of the account in a window of at most 6 hours, latest first',
  access: 'READ_ONLY',
  query,
  status: 200,
  response: z.array(CheckAlert),
  paged: true,
})

export const listAlertsOfCheck = route({
  method: 'GET',
  path: '/v1/check-alerts/{checkId}',
  tag,
  summary: 'List the alerts of a check in a window of at most 6 hours, latest first',
  access: 'READ_ONLY',
  params: z.object({ checkId: Uuid }),
  query,
  status: 200,
  response: z.array(CheckAlert),
  paged: true,
})
