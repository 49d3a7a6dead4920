import { z } from 'zod'
import { ignoredField, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import {
  distinctServices,
  StatusPageIncident,
  StatusPageIncidentSeverity,
  StatusPageIncidentStatus,
} from './status-page-incidents.ts'

export const maxIncidentTemplates = 100

/** The body of a request that opens an incident. */
const TemplateIncident = z
  .object({
    name: z.string().min(1).max(255),
    severity: StatusPageIncidentSeverity,
    services: distinctServices.min(1),
    incidentUpdates: z
      .array(
        z.object({
          description: z.string().min(1).max(10_000),
          status: StatusPageIncidentStatus.default('INVESTIGATING'),
          notifySubscribers: z.boolean().default(false),
        }),
      )
      .length(1)
      .describe('The first update'),
  })
  .meta({ id: 'IncidentTemplateIncident' })

export const IncidentTemplateInput = z
  .object({
    name: z.string().min(1).max(255).describe('Unique in the account, whatever its case'),
    incident: TemplateIncident,
    id: ignoredField({ type: 'string', format: 'uuid' }),
    created_at: ignoredField({ type: 'string', format: 'date-time' }),
    updated_at: ignoredField({ type: 'string', format: 'date-time', nullable: true }),
  })
  .meta({ id: 'IncidentTemplateInput' })

/** What is stored: only the ids of services. */
export type StoredIncident = z.output<typeof TemplateIncident>

export const IncidentTemplate = z
  .object({
    id: Uuid,
    name: z.string(),
    incident: z
      .object({
        name: z.string(),
        severity: StatusPageIncidentSeverity,
        services: z.array(z.object({ id: Uuid })),
        incidentUpdates: z.array(
          z.object({
            description: z.string(),
            status: StatusPageIncidentStatus,
            notifySubscribers: z.boolean(),
          }),
        ),
      })
      .describe('A body for `POST /v1/status-pages/incidents`, to be changed as needed'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'IncidentTemplate' })

const tag = 'Incident templates'
const params = z.object({ templateId: Uuid })
const example = {
  name: 'Checkout down',
  incident: {
    name: 'Checkout is not available',
    severity: 'CRITICAL',
    services: [{ id: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11' }],
    incidentUpdates: [{ description: 'We are looking into it.', notifySubscribers: true }],
  },
}

export const listIncidentTemplates = route({
  method: 'GET',
  path: '/v1/status-pages/incident-templates',
  tag,
  summary: 'List incident templates by name',
  access: 'READ_ONLY',
  status: 200,
  response: z.array(IncidentTemplate),
})

export const createIncidentTemplate = route({
  method: 'POST',
  path: '/v1/status-pages/incident-templates',
  tag,
  summary: 'Create an incident template',
  description: `At most ${maxIncidentTemplates} per account.`,
  access: 'READ_WRITE',
  body: IncidentTemplateInput,
  status: 201,
  response: IncidentTemplate,
  errors: [409],
  example,
})

export const getIncidentTemplate = route({
  method: 'GET',
  path: '/v1/status-pages/incident-templates/{templateId}',
  tag,
  summary: 'Read an incident template',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: IncidentTemplate,
})

export const updateIncidentTemplate = route({
  method: 'PUT',
  path: '/v1/status-pages/incident-templates/{templateId}',
  tag,
  summary: 'Change an incident template',
  description: 'An `incident` that is sent replaces the stored one.',
  access: 'READ_WRITE',
  params,
  body: updateOf(IncidentTemplateInput).meta({ id: 'IncidentTemplateUpdate' }),
  status: 200,
  response: IncidentTemplate,
  errors: [409],
  example,
})

export const deleteIncidentTemplate = route({
  method: 'DELETE',
  path: '/v1/status-pages/incident-templates/{templateId}',
  tag,
  summary: 'Delete an incident template',
  description: 'Incidents that were opened from it stay.',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const openTemplateIncident = route({
  method: 'POST',
  path: '/v1/status-pages/incident-templates/{templateId}/incidents',
  tag,
  summary: 'Open an incident as the template has it',
  description: '400 if one of its services was deleted since.',
  access: 'READ_WRITE',
  params,
  status: 201,
  response: StatusPageIncident,
})
