import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { DateInput, SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'

export const DashboardIncidentImpact = z.enum(['MAINTENANCE', 'MAJOR', 'MINOR'])

export const DashboardIncidentStatus = z.enum([
  'INVESTIGATING',
  'IDENTIFIED',
  'MONITORING',
  'RESOLVED',
  'MAINTENANCE',
])

export const DashboardIncidentUpdateInput = z
  .object({ status: DashboardIncidentStatus, description: z.string().min(1).max(10_000) })
  .meta({ id: 'DashboardIncidentUpdateInput' })

export const DashboardIncidentUpdate = z
  .object({
    id: Uuid,
    status: DashboardIncidentStatus,
    description: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'DashboardIncidentUpdate' })

const editable = {
  name: z.string().min(1).max(255),
  impact: DashboardIncidentImpact.default('MINOR'),
  startedAt: DateInput.optional().describe('Now when absent'),
  stoppedAt: DateInput.nullable()
    .optional()
    .describe('Set by the update that resolves the incident when absent'),
}

export const DashboardIncidentInput = z
  .object({
    ...editable,
    dashboardId: SerialId.describe('The number (`id`) of the dashboard'),
    incidentUpdates: z.array(DashboardIncidentUpdateInput).length(1).describe('The first update'),
  })
  .meta({ id: 'DashboardIncidentInput' })

export const DashboardIncident = z
  .object({
    id: Uuid,
    name: z.string(),
    impact: DashboardIncidentImpact,
    startedAt: Timestamp,
    stoppedAt: Timestamp.nullable(),
    dashboardId: SerialId,
    incidentUpdates: z
      .array(DashboardIncidentUpdate)
      .describe('Newest first; only the latest unless all are requested'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'DashboardIncident' })

/** For instants with defaults applied and merged with stored ones. */
export function dashboardIncidentIssues(values: { startedAt: Date; stoppedAt: Date | null }): FieldIssue[] {
  if (values.stoppedAt === null || values.stoppedAt >= values.startedAt) return []
  return [{ path: ['stoppedAt'], message: 'must not be before startedAt' }]
}

const tag = 'Dashboard incidents'
const params = z.object({ id: Uuid })
const updateParams = z.object({ incidentId: Uuid, id: Uuid })

export const listDashboardIncidents = route({
  method: 'GET',
  path: '/v1/incidents',
  tag,
  summary: 'List incidents of dashboards: open ones first, then the latest',
  access: 'READ_ONLY',
  query: PagedQuery.extend({
    dashboardId: SerialId.optional().describe('Only those of the dashboard with this number'),
  }),
  status: 200,
  response: z.array(DashboardIncident),
  paged: true,
})

export const createDashboardIncident = route({
  method: 'POST',
  path: '/v1/incidents',
  tag,
  summary: 'Create an incident on a dashboard',
  access: 'READ_WRITE',
  body: DashboardIncidentInput,
  status: 200,
  response: DashboardIncident,
  example: {
    name: 'Checkout is slow',
    impact: 'MAJOR',
    dashboardId: 1,
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We are looking into it.' }],
  },
})

export const getDashboardIncident = route({
  method: 'GET',
  path: '/v1/incidents/{id}',
  tag,
  summary: 'Read an incident of a dashboard',
  access: 'READ_ONLY',
  params,
  query: z.object({
    includeAllIncidentUpdates: z.boolean().default(false).describe('All updates instead of only the latest'),
  }),
  status: 200,
  response: DashboardIncident,
})

export const updateDashboardIncident = route({
  method: 'PUT',
  path: '/v1/incidents/{id}',
  tag,
  summary: 'Update an incident of a dashboard',
  access: 'READ_WRITE',
  params,
  query: z.object({
    probe: z.boolean().optional().describe('Accepted from existing clients; has no effect'),
  }),
  body: updateOf(z.object(editable)),
  status: 200,
  response: DashboardIncident,
  example: {
    name: 'Checkout was slow',
    startedAt: '2026-11-15T08:00:00.000Z',
    stoppedAt: '2026-11-15T09:00:00.000Z',
  },
})

export const deleteDashboardIncident = route({
  method: 'DELETE',
  path: '/v1/incidents/{id}',
  tag,
  summary: 'Delete an incident of a dashboard and its updates',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const createDashboardIncidentUpdate = route({
  method: 'POST',
  path: '/v1/incidents/{incidentId}/updates',
  tag,
  summary: 'Add an update to an incident of a dashboard',
  access: 'READ_WRITE',
  params: z.object({ incidentId: Uuid }),
  body: DashboardIncidentUpdateInput,
  status: 201,
  response: DashboardIncidentUpdate.extend({ incidentId: Uuid }).meta({
    id: 'DashboardIncidentUpdateCreated',
  }),
  example: { status: 'RESOLVED', description: 'All is well again.' },
})

export const updateDashboardIncidentUpdate = route({
  method: 'PUT',
  path: '/v1/incidents/{incidentId}/updates/{id}',
  tag,
  summary: 'Change the text of an update',
  access: 'READ_WRITE',
  params: updateParams,
  body: DashboardIncidentUpdateInput.pick({ description: true }).partial(),
  status: 200,
  response: DashboardIncidentUpdate,
  example: { description: 'We have found the cause.' },
})

export const deleteDashboardIncidentUpdate = route({
  method: 'DELETE',
  path: '/v1/incidents/{incidentId}/updates/{id}',
  tag,
  summary: 'Delete an update of an incident',
  access: 'READ_WRITE',
  params: updateParams,
  status: 204,
})
