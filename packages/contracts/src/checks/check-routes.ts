import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { type AnyRoute, route } from '../core/route.ts'
import {
  Check,
  type CheckDefinition,
  CheckInput,
  CheckType,
  type CheckTypes,
  CheckUpdate,
  CheckUpdateShown,
  checkTypeNames,
  checkTypes,
  createBodyOf,
  updateBodyOf,
} from './index.ts'

const tag = 'Checks'
const params = z.object({ id: Uuid })

const AssignQuery = z.object({
  autoAssignAlerts: z
    .boolean()
    .optional()
    .meta({
      default: true,
      description:
        'Whether a new check is subscribed to all existing alert channels. When absent, alertChannelSubscriptions ' +
        'in the body, also an empty list, is used instead.',
    }),
})

const applyGroupSettings = z
  .boolean()
  .default(false)
  .describe('Whether the settings of its group are merged into a check')

const checkStatusFilters = ['passing', 'failing', 'degraded'] as const

const CheckListQuery = PagedQuery.extend({
  apiCheckUrlFilterPattern: z.string().max(2048).optional().describe('API checks whose URL contains this'),
  tag: z.array(z.string().max(200)).max(100).optional().describe('Checks with any of these tags'),
  checkType: CheckType.optional(),
  search: z.string().max(500).optional().describe('Part of the name, in any case'),
  status: z.enum(checkStatusFilters).optional(),
  applyGroupSettings,
})

export const listChecks = route({
  method: 'GET',
  path: '/v1/checks',
  tag,
  summary: 'List checks',
  access: 'READ_ONLY',
  query: CheckListQuery,
  status: 200,
  response: z.array(Check),
  paged: true,
})

export const getCheck = route({
  method: 'GET',
  path: '/v1/checks/{id}',
  tag,
  summary: 'Read a check',
  access: 'READ_ONLY',
  params,
  query: z.object({
    includeDependencies: z
      .boolean()
      .default(false)
      .describe('Whether the files of a script are part of the response'),
    applyGroupSettings,
  }),
  status: 200,
  response: Check,
})

export const deleteCheck = route({
  method: 'DELETE',
  path: '/v1/checks/{id}',
  tag,
  summary: 'Delete a check',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const createCheck = route({
  method: 'POST',
  path: '/v1/checks',
  tag,
  summary: 'Create a check of any type',
  description: 'Use the route of the type instead, such as POST /v1/checks/api. Here checkType must be sent.',
  access: 'READ_WRITE',
  query: AssignQuery,
  body: CheckInput,
  bodyLimit: 'setting',
  // spec §7.3: of the endpoints of the spec only dashboards and group triggers respond with 201.
  status: 200,
  response: Check,
  errors: [402, 409],
  deprecated: true,
  example: { ...checkTypes.API.example, checkType: 'API' },
})

export const updateCheck = route({
  method: 'PUT',
  path: '/v1/checks/{id}',
  tag,
  summary: 'Update a check of any type',
  description: 'Use the route of the type instead, such as PUT /v1/checks/api/{id}.',
  access: 'READ_WRITE',
  params,
  query: AssignQuery,
  body: CheckUpdate,
  bodyLimit: 'setting',
  documentedBody: CheckUpdateShown,
  acceptsIfMatch: true,
  status: 200,
  response: Check,
  errors: [402, 409],
  deprecated: true,
  example: { muted: true },
})

function createRoute<I extends z.ZodObject, R extends z.ZodObject>(
  definition: CheckDefinition & { input: I; read: R },
) {
  return route({
    method: 'POST',
    path: `/v1/checks/${definition.path}`,
    tag,
    summary: `Create ${definition.title}`,
    access: 'READ_WRITE',
    query: AssignQuery,
    body: createBodyOf(definition),
    ...bodyLimitOf(definition),
    status: 201,
    response: definition.read,
    errors: [402, ...(definition.errors ?? [])],
    example: definition.example,
  })
}

function updateRoute<I extends z.ZodObject, R extends z.ZodObject>(
  definition: CheckDefinition & { input: I; read: R },
) {
  return route({
    method: 'PUT',
    path: `/v1/checks/${definition.path}/{id}`,
    tag,
    summary: `Update ${definition.title}`,
    description: 'Changes only the fields that are sent.',
    access: 'READ_WRITE',
    params,
    query: AssignQuery,
    body: updateBodyOf(definition),
    ...bodyLimitOf(definition),
    acceptsIfMatch: true,
    status: 200,
    response: definition.read,
    errors: [402, ...(definition.errors ?? [])],
    example: { name: `${definition.example.name}, renamed`, muted: true },
  })
}

/** Checks with variables may have large scripts, files or values; monitors don't. */
function bodyLimitOf({ input }: CheckDefinition): { bodyLimit?: 'setting' } {
  return 'environmentVariables' in input.shape ? { bodyLimit: 'setting' } : {}
}

type CreateRoute<D extends CheckTypes[CheckType]> = ReturnType<typeof createRoute<D['input'], D['read']>>
type UpdateRoute<D extends CheckTypes[CheckType]> = ReturnType<typeof updateRoute<D['input'], D['read']>>

const routesByType: Record<string, { create: AnyRoute; update: AnyRoute }> = Object.fromEntries(
  checkTypeNames.map((type) => {
    const definition: CheckDefinition = checkTypes[type]
    return [type, { create: createRoute(definition), update: updateRoute(definition) }]
  }),
)

/** The two routes of each type. */
export const checkRoutesOf = routesByType as {
  readonly [T in CheckType]: { create: CreateRoute<CheckTypes[T]>; update: UpdateRoute<CheckTypes[T]> }
}

/** The same by name: createUrlMonitor, updateUrlMonitor. */
export const routesOfTypes: Record<string, AnyRoute> = Object.fromEntries(
  checkTypeNames.flatMap((type) => [
    [`create${checkTypes[type].name}`, checkRoutesOf[type].create],
    [`update${checkTypes[type].name}`, checkRoutesOf[type].update],
  ]),
)

export const { create: createApiCheck, update: updateApiCheck } = checkRoutesOf.API
export const { create: createBrowserCheck } = checkRoutesOf.BROWSER
export const { create: createMultiStepCheck } = checkRoutesOf.MULTI_STEP
export const { create: createHeartbeatMonitor } = checkRoutesOf.HEARTBEAT
export const { create: createIcmpMonitor } = checkRoutesOf.ICMP
export const { create: createTcpMonitor } = checkRoutesOf.TCP
export const { create: createPlaywrightCheck } = checkRoutesOf.PLAYWRIGHT
export const { create: createUrlMonitor, update: updateUrlMonitor } = checkRoutesOf.URL
export const { create: createDnsMonitor } = checkRoutesOf.DNS
export const { create: createAgenticCheck } = checkRoutesOf.AGENTIC
