// The components of a status page: a tree of groups and services. Cards are its first level of groups.
import { z } from 'zod'
import { ignoredField, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { projectFields } from '../projects/project-binding.ts'

export const componentLimits = { perPage: 500, depth: 3 }

export const StatusPageComponentType = z.enum(['GROUP', 'SERVICE'])

const expandedByDefault = z
  .boolean()
  .describe('Of a group: open on the page. A group with a problem inside is always open')
const showHistoricalData = z.boolean().describe('Of a service: show 90 days and the uptime')

export const StatusPageComponentConfiguration = z
  .object({
    expandedByDefault: expandedByDefault.optional(),
    showHistoricalData: showHistoricalData.optional(),
  })
  .meta({ id: 'StatusPageComponentConfiguration' })

const DisplayOrder = z.int().min(0).max(1_000_000)

const ignoredId = ignoredField({ type: 'string', format: 'uuid' })

const fields = z.object({
  parentId: Uuid.nullable().default(null).describe('A group of the same page; null: the first level'),
  type: StatusPageComponentType.default('SERVICE').describe('It cannot change'),
  name: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('A service of the account is shown by its own name when absent'),
  description: z.string().max(500).nullable().default(null),
  hidden: z
    .boolean()
    .default(false)
    .describe('Neither it, what is below, nor its incidents are shown to visitors'),
  displayOrder: DisplayOrder.optional().describe('The lowest comes first; after its siblings when absent'),
  configuration: StatusPageComponentConfiguration.default({}),
  serviceId: Uuid.nullable()
    .optional()
    .describe(
      'A service of the account. When absent, the component gets a service of its own. It cannot change',
    ),
  id: ignoredId,
  statusPageId: ignoredId,
  created_at: ignoredField({ type: 'string', format: 'date-time' }),
  updated_at: ignoredField({ type: 'string', format: 'date-time', nullable: true }),
})

export const StatusPageComponentInput = fields
  .refine(({ name, type, serviceId }) => name !== undefined || (type === 'SERVICE' && serviceId != null), {
    path: ['name'],
    message: 'is required, unless the component shows a service of the account by its name',
  })
  .meta({ id: 'StatusPageComponentInput' })

export const StatusPageComponent = z
  .object({
    id: Uuid,
    statusPageId: Uuid,
    parentId: Uuid.nullable(),
    type: StatusPageComponentType,
    name: z.string(),
    description: z.string().nullable(),
    hidden: z.boolean(),
    displayOrder: z.int(),
    configuration: StatusPageComponentConfiguration,
    serviceId: Uuid.nullable().describe('Incidents name this service; null: it is a group'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
  })
  .meta({ id: 'StatusPageComponent' })

const tag = 'Status page components'
const pageParams = z.object({ statusPageId: Uuid })
const params = pageParams.extend({ componentId: Uuid })

export const listStatusPageComponents = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/components',
  tag,
  summary: 'List the components of a status page',
  description: 'In the order of the page: each group is followed by what is in it.',
  access: 'READ_ONLY',
  params: pageParams,
  status: 200,
  response: z.array(StatusPageComponent),
})

export const getStatusPageComponent = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}/components/{componentId}',
  tag,
  summary: 'Read a component of a status page',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: StatusPageComponent,
})

export const createStatusPageComponent = route({
  method: 'POST',
  path: '/v1/status-pages/{statusPageId}/components',
  tag,
  summary: 'Add a component to a status page',
  description: 'A page has at most 500 components on three levels. A group has a service at most once.',
  access: 'READ_WRITE',
  params: pageParams,
  body: StatusPageComponentInput,
  status: 201,
  response: StatusPageComponent,
  errors: [409],
  example: { type: 'GROUP', name: 'Storefront', configuration: { expandedByDefault: true } },
})

export const updateStatusPageComponent = route({
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}/components/{componentId}',
  tag,
  summary: 'Change, move or reorder a component of a status page',
  description: 'A component with a service of its own renames it too.',
  access: 'READ_WRITE',
  params,
  body: updateOf(fields),
  status: 200,
  response: StatusPageComponent,
  errors: [409],
  example: { displayOrder: 2, configuration: { showHistoricalData: false } },
})

export const deleteStatusPageComponent = route({
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}/components/{componentId}',
  tag,
  summary: 'Remove a component from a status page',
  description:
    'Refused with 409 for a group that has components. A service of its own is deleted with it, unless another component shows it; incidents keep its name.',
  access: 'READ_WRITE',
  params,
  status: 204,
  errors: [409],
})
