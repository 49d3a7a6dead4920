import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { CursorQuery, cursorPage } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { projectFields } from '../projects/project-binding.ts'

export const StatusPageService = z
  .object({
    id: Uuid,
    name: z.string(),
    accountId: Uuid,
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
  })
  .meta({ id: 'StatusPageService' })

export const StatusPageServiceInput = z
  .object({ name: z.string().min(1).max(255) })
  .meta({ id: 'StatusPageServiceInput' })

export const StatusPageServiceUsage = z
  .object({
    serviceId: Uuid,
    statusPages: z.array(z.object({ id: Uuid, name: z.string(), url: z.string() })),
    checkCount: z.int().describe('Checks that open incidents for it (`triggerIncident`)'),
    checks: z.array(z.object({ id: Uuid, name: z.string() })).describe('The first 20 of them, by name'),
    automationRules: z.array(z.object({ id: Uuid, name: z.string(), statusPageId: Uuid })),
    openIncidents: z.int(),
  })
  .meta({ id: 'StatusPageServiceUsage' })

const tag = 'Status page services'
const params = z.object({ serviceId: Uuid })

export const listStatusPageServices = route({
  method: 'GET',
  path: '/v1/status-pages/services',
  tag,
  summary: 'List services',
  access: 'READ_ONLY',
  query: CursorQuery,
  status: 200,
  response: cursorPage(StatusPageService),
})

export const listStatusPageServiceUsage = route({
  method: 'GET',
  path: '/v1/status-pages/service-usage',
  tag,
  summary: 'Which pages show each service, and what opens incidents for it',
  access: 'READ_ONLY',
  status: 200,
  response: z.array(StatusPageServiceUsage),
})

export const getStatusPageService = route({
  method: 'GET',
  path: '/v1/status-pages/services/{serviceId}',
  tag,
  summary: 'Read a service',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: StatusPageService,
})

export const createStatusPageService = route({
  method: 'POST',
  path: '/v1/status-pages/services',
  tag,
  summary: 'Create a service',
  access: 'READ_WRITE',
  body: StatusPageServiceInput,
  // Client libraries refuse any other status here.
  status: 201,
  response: StatusPageService,
  example: { name: 'Checkout' },
})

export const updateStatusPageService = route({
  method: 'PUT',
  path: '/v1/status-pages/services/{serviceId}',
  tag,
  summary: 'Rename a service',
  access: 'READ_WRITE',
  params,
  body: updateOf(StatusPageServiceInput),
  status: 200,
  response: StatusPageService,
  example: { name: 'Payments' },
})

export const deleteStatusPageService = route({
  method: 'DELETE',
  path: '/v1/status-pages/services/{serviceId}',
  tag,
  summary: 'Delete a service',
  description:
    'Refused with 409 while a status page shows it. Incidents keep its name; checks no longer open incidents for it.',
  access: 'READ_WRITE',
  params,
  status: 204,
  errors: [409],
})
