import { z } from 'zod'
import { addition, DateInput, ignoredField, Timestamp, Uuid } from '../core/fields.ts'
import { CursorQuery, cursorPage } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { StatusPageService } from './status-page-services.ts'

export const StatusPageIncidentSeverity = z.enum(['CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'])

export const StatusPageIncidentStatus = z.enum(['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'])

const ignoredId = ignoredField({ type: 'string', format: 'uuid' })
const ignoredDate = ignoredField({ type: 'string', format: 'date-time' })

export const StatusPageIncidentUpdateInput = z
  .object({
    description: z.string().min(1).max(10_000),
    status: StatusPageIncidentStatus.default('INVESTIGATING'),
    publicIncidentUpdateDate: DateInput.optional().describe('Now when absent; may be in the past'),
    notifySubscribers: z.boolean().default(false),
    id: ignoredId,
    created_at: ignoredDate,
  })
  .meta({ id: 'StatusPageIncidentUpdateInput' })

export const StatusPageIncidentUpdate = z
  .object({
    id: Uuid,
    description: z.string(),
    status: StatusPageIncidentStatus,
    publicIncidentUpdateDate: Timestamp,
    notifySubscribers: z.boolean(),
    created_at: Timestamp,
  })
  .meta({ id: 'StatusPageIncidentUpdate' })

/** Clients send whole services; only the id counts. */
export const StatusPageServiceRef = z
  .object({
    id: Uuid,
    name: ignoredField({ type: 'string' }),
    accountId: ignoredId,
    created_at: ignoredDate,
    updated_at: ignoredField({ type: 'string', format: 'date-time', nullable: true }),
  })
  .meta({ id: 'StatusPageServiceRef' })

export const distinctServices = z
  .array(StatusPageServiceRef)
  .max(100)
  .superRefine((services, context) => {
    const seen = new Set<string>()
    for (const [index, service] of services.entries()) {
      const id = service.id.toLowerCase()
      if (seen.has(id)) {
        context.addIssue({ code: 'custom', path: [index, 'id'], message: 'is listed twice' })
      }
      seen.add(id)
    }
  })

const editable = z.object({
  name: z.string().min(1).max(255),
  severity: StatusPageIncidentSeverity,
  services: distinctServices.min(1),
  postmortem: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .nullable()
    .optional()
    .describe('Plain text about a resolved incident; null removes it'),
  id: ignoredId,
  lastUpdateStatus: ignoredField({ type: 'string', enum: StatusPageIncidentStatus.options }),
  duration: ignoredField({ type: 'integer', nullable: true }),
  created_at: ignoredDate,
  updated_at: ignoredDate,
})

export const StatusPageIncidentInput = editable
  .extend({ incidentUpdates: z.array(StatusPageIncidentUpdateInput).length(1).describe('The first update') })
  .meta({ id: 'StatusPageIncidentInput' })

export const StatusPageIncident = z
  .object({
    id: Uuid,
    name: z.string(),
    severity: StatusPageIncidentSeverity,
    services: z.array(StatusPageService),
    incidentUpdates: z.array(StatusPageIncidentUpdate).describe('The last 100, latest first'),
    lastUpdateStatus: StatusPageIncidentStatus,
    duration: z
      .int()
      .nullable()
      .describe('Milliseconds from the first update to the one that resolved it; null while it is open'),
    postmortem: addition(z.string().nullable()),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'StatusPageIncident' })

const tag = 'Status page incidents'
const params = z.object({ incidentId: Uuid })
const updateParams = params.extend({ incidentUpdateId: Uuid })

export const listStatusPageIncidents = route({
  method: 'GET',
  path: '/v1/status-pages/incidents',
  tag,
  summary: 'List incidents, latest first',
  access: 'READ_ONLY',
  query: CursorQuery.extend({
    isOpen: z.boolean().optional().describe('Only open ones, or only resolved ones; all when absent'),
  }),
  status: 200,
  response: cursorPage(StatusPageIncident),
})

export const getStatusPageIncident = route({
  method: 'GET',
  path: '/v1/status-pages/incidents/{incidentId}',
  tag,
  summary: 'Read an incident',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: StatusPageIncident,
})

export const createStatusPageIncident = route({
  method: 'POST',
  path: '/v1/status-pages/incidents',
  tag,
  summary: 'Open an incident',
  description: 'It shows on every status page that has one of its services.',
  access: 'READ_WRITE',
  body: StatusPageIncidentInput,
  status: 201,
  response: StatusPageIncident,
  example: {
    name: 'Checkout is slow',
    severity: 'MAJOR',
    services: [{ id: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11' }],
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We are looking into it.' }],
  },
})

export const updateStatusPageIncident = route({
  method: 'PUT',
  path: '/v1/status-pages/incidents/{incidentId}',
  tag,
  summary: 'Update name, severity, services or postmortem of an incident',
  access: 'READ_WRITE',
  params,
  body: updateOf(editable),
  status: 200,
  response: StatusPageIncident,
  example: { severity: 'CRITICAL' },
})

export const patchStatusPageIncident = route({ ...updateStatusPageIncident, method: 'PATCH' })

export const deleteStatusPageIncident = route({
  method: 'DELETE',
  path: '/v1/status-pages/incidents/{incidentId}',
  tag,
  summary: 'Delete an incident and its updates',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const listStatusPageIncidentUpdates = route({
  method: 'GET',
  path: '/v1/status-pages/incidents/{incidentId}/incident-updates',
  tag,
  summary: 'List the last 100 updates of an incident, latest first',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: z.array(StatusPageIncidentUpdate),
})

export const getStatusPageIncidentUpdate = route({
  method: 'GET',
  path: '/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}',
  tag,
  summary: 'Read an update of an incident',
  access: 'READ_ONLY',
  params: updateParams,
  status: 200,
  response: StatusPageIncidentUpdate,
})

export const createStatusPageIncidentUpdate = route({
  method: 'POST',
  path: '/v1/status-pages/incidents/{incidentId}/incident-updates',
  tag,
  summary: 'Add an update to an incident',
  access: 'READ_WRITE',
  params,
  body: StatusPageIncidentUpdateInput,
  status: 200,
  response: StatusPageIncidentUpdate,
  example: { status: 'RESOLVED', description: 'All is well again.', notifySubscribers: true },
})

export const updateStatusPageIncidentUpdate = route({
  method: 'PUT',
  path: '/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}',
  tag,
  summary: 'Update an update of an incident',
  access: 'READ_WRITE',
  params: updateParams,
  body: updateOf(StatusPageIncidentUpdateInput),
  status: 200,
  response: StatusPageIncidentUpdate,
  example: { description: 'We have found the cause.' },
})

export const deleteStatusPageIncidentUpdate = route({
  method: 'DELETE',
  path: '/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}',
  tag,
  summary: 'Delete an update of an incident',
  description: 'The last one that is left cannot be deleted; delete the incident instead.',
  access: 'READ_WRITE',
  params: updateParams,
  status: 204,
  errors: [409],
})
