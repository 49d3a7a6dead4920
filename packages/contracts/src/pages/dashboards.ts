import { z } from 'zod'
import {
  AccessKey,
  HttpUrl,
  IssuedKey,
  ignoredField,
  SerialId,
  Tags,
  Timestamp,
  Uuid,
} from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { HostNameOrNone, HttpUrlOrNone, Subdomain, SubdomainOrNone } from './page-address.ts'

const ignoredKey = {
  id: { type: 'string', format: 'uuid' },
  rawKey: { type: 'string' },
  maskedKey: { type: 'string' },
  created_at: { type: 'string', format: 'date-time' },
  updated_at: { type: 'string', format: 'date-time', nullable: true },
}

// spec §2.1.
export const DashboardInput = z
  .object({
    header: z.string().min(1).max(500).describe('Text shown at the top'),
    customUrl: SubdomainOrNone.default(null).describe('Subdomain name, unique over all accounts'),
    customDomain: HostNameOrNone.default(null).describe('A domain of your own, unique over all accounts'),
    logo: HttpUrlOrNone.default(null).describe('Address of an image'),
    favicon: HttpUrlOrNone.default(null).describe('Address of an image'),
    link: HttpUrlOrNone.optional().describe('Opened when the logo is clicked'),
    description: z.string().max(5000).nullable().default(null).describe('Text below the header'),
    width: z.enum(['FULL', '960PX']).default('FULL').describe('Full screen or centered'),
    refreshRate: z.literal([60, 300, 600]).default(60).describe('Refresh period in seconds'),
    paginate: z.boolean().default(true),
    paginationRate: z.literal([30, 60, 300]).default(60).describe('Pagination period in seconds'),
    checksPerPage: z.int().min(1).max(20).nullable().default(15),
    useTagsAndOperator: z.boolean().nullable().default(false).describe('Show checks that have all tags'),
    hideTags: z.boolean().default(false),
    enableIncidents: z.boolean().default(false),
    expandChecks: z.boolean().default(false),
    tags: Tags.default([]).describe('Which checks are shown; none means all'),
    showHeader: z.boolean().default(true).describe('Show header and description'),
    showCheckRunLinks: z.boolean().default(false),
    showGroupNames: z.boolean().default(true),
    customCSS: z.string().max(100_000).nullable().default(''),
    isPrivate: z.boolean().default(false).describe('Making a dashboard private issues its first key'),
    showP95: z.boolean().default(true),
    showP99: z.boolean().default(true),
    keys: ignoredField({
      type: 'array',
      items: { type: 'object', properties: ignoredKey },
      description: 'Ignored: keys are made by the server',
    }),
  })
  .meta({ id: 'DashboardInput' })

export const Dashboard = z
  .object({
    id: SerialId,
    dashboardId: z.string().describe('The name in its address and in these routes'),
    ...DashboardInput.shape,
    header: z.string().nullable(),
    customUrl: Subdomain.optional(),
    logo: HttpUrl.nullable(),
    favicon: HttpUrl.nullable(),
    link: HttpUrl.optional(),
    keys: z.array(AccessKey).describe('Access keys of a private dashboard'),
    created_at: Timestamp,
  })
  .meta({ id: 'Dashboard' })

export const maxKeysPerDashboard = 10

const tag = 'Dashboards'
const params = z.object({ dashboardId: z.string().min(1).max(253) })

export const listDashboards = route({
  method: 'GET',
  path: '/v1/dashboards',
  tag,
  summary: 'List dashboards',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(Dashboard),
  paged: true,
})

export const getDashboard = route({
  method: 'GET',
  path: '/v1/dashboards/{dashboardId}',
  tag,
  summary: 'Read a dashboard',
  access: 'READ_ONLY',
  params,
  query: z.object({
    type: z
      .enum(['dashboardId', 'customUrl', 'customDomain'])
      .default('dashboardId')
      .describe('What the value in the path is'),
  }),
  status: 200,
  response: Dashboard,
  rateLimit: { limit: 10, seconds: 20 },
})

export const createDashboard = route({
  method: 'POST',
  path: '/v1/dashboards',
  tag,
  summary: 'Create a dashboard',
  access: 'READ_WRITE',
  body: DashboardInput,
  status: 201,
  response: Dashboard,
  errors: [409],
  example: { header: 'Shop', customUrl: 'shop', tags: ['production'], refreshRate: 300 },
})

export const updateDashboard = route({
  method: 'PUT',
  path: '/v1/dashboards/{dashboardId}',
  tag,
  summary: 'Update a dashboard',
  access: 'READ_WRITE',
  params,
  body: updateOf(DashboardInput),
  status: 200,
  response: Dashboard,
  errors: [409],
  example: { header: 'The shop', isPrivate: true },
})

export const deleteDashboard = route({
  method: 'DELETE',
  path: '/v1/dashboards/{dashboardId}',
  tag,
  summary: 'Delete a dashboard',
  access: 'READ_WRITE',
  params,
  status: 204,
})

export const createDashboardKey = route({
  method: 'POST',
  path: '/v1/dashboards/{dashboardId}/keys',
  tag,
  summary: 'Create an access key for a dashboard',
  description: `A dashboard has at most ${maxKeysPerDashboard} keys.`,
  access: 'READ_WRITE',
  params,
  status: 201,
  response: IssuedKey,
  errors: [409],
})

export const deleteDashboardKey = route({
  method: 'DELETE',
  path: '/v1/dashboards/{dashboardId}/keys/{keyId}',
  tag,
  summary: 'Delete an access key of a dashboard',
  access: 'READ_WRITE',
  params: params.extend({ keyId: Uuid }),
  status: 204,
})
