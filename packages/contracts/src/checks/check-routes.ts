import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { type CheckDefinition, CheckType } from './base.ts'
import {
  Check,
  CheckInput,
  CheckUpdate,
  CheckUpdateShown,
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
  apiCheckUrlFilterPattern: z.string().max(2048).optional().describe('API checks whose URL has this in it'),
  tag: z.array(z.string().max(200)).max(100).optional().describe('Checks with any of these tags'),
  checkType: CheckType.optional(),
  search: z.string().max(500).optional().describe('Part of the name; case does not matter'),
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
      .describe('Whether the files of a script are part of the answer'),
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

export const createApiCheck = createRoute(checkTypes.API)
export const updateApiCheck = updateRoute(checkTypes.API)
export const createBrowserCheck = createRoute(checkTypes.BROWSER)
export const updateBrowserCheck = updateRoute(checkTypes.BROWSER)
export const createMultiStepCheck = createRoute(checkTypes.MULTI_STEP)
export const updateMultiStepCheck = updateRoute(checkTypes.MULTI_STEP)
export const createHeartbeatMonitor = createRoute(checkTypes.HEARTBEAT)
export const updateHeartbeatMonitor = updateRoute(checkTypes.HEARTBEAT)
export const createIcmpMonitor = createRoute(checkTypes.ICMP)
export const updateIcmpMonitor = updateRoute(checkTypes.ICMP)
export const createTcpMonitor = createRoute(checkTypes.TCP)
export const updateTcpMonitor = updateRoute(checkTypes.TCP)
export const createPlaywrightCheck = createRoute(checkTypes.PLAYWRIGHT)
export const updatePlaywrightCheck = updateRoute(checkTypes.PLAYWRIGHT)
export const createUrlMonitor = createRoute(checkTypes.URL)
export const updateUrlMonitor = updateRoute(checkTypes.URL)
export const createDnsMonitor = createRoute(checkTypes.DNS)
export const updateDnsMonitor = updateRoute(checkTypes.DNS)
export const createAgenticCheck = createRoute(checkTypes.AGENTIC)
export const updateAgenticCheck = updateRoute(checkTypes.AGENTIC)

/** The two routes that each type has of its own. */
export const checkRoutesOf = {
  API: { create: createApiCheck, update: updateApiCheck },
  BROWSER: { create: createBrowserCheck, update: updateBrowserCheck },
  MULTI_STEP: { create: createMultiStepCheck, update: updateMultiStepCheck },
  HEARTBEAT: { create: createHeartbeatMonitor, update: updateHeartbeatMonitor },
  ICMP: { create: createIcmpMonitor, update: updateIcmpMonitor },
  TCP: { create: createTcpMonitor, update: updateTcpMonitor },
  PLAYWRIGHT: { create: createPlaywrightCheck, update: updatePlaywrightCheck },
  URL: { create: createUrlMonitor, update: updateUrlMonitor },
  DNS: { create: createDnsMonitor, update: updateDnsMonitor },
  AGENTIC: { create: createAgenticCheck, update: updateAgenticCheck },
} satisfies Record<CheckType, unknown>

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
  // spec §7.3: of the spec's own endpoints only dashboards and group triggers answer 201.
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
    errors: errorsOf(definition),
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
    status: 200,
    response: definition.read,
    errors: errorsOf(definition),
    example: { name: `${definition.example.name}, renamed`, muted: true },
  })
}

/** Checks with variables have scripts, files or a hundred long values; monitors don't. */
function bodyLimitOf({ input }: CheckDefinition): { bodyLimit?: 'setting' } {
  return 'environmentVariables' in input.shape ? { bodyLimit: 'setting' } : {}
}

/** Only a ping token can be taken already. */
function errorsOf({ type }: CheckDefinition): number[] {
  return type === 'HEARTBEAT' ? [402, 409] : [402]
}
