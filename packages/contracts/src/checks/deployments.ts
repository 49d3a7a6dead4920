// Records of deployments, to compare changes in results with.
import { z } from 'zod'
import { HttpUrl, SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'

export const Deployment = z
  .object({
    id: Uuid,
    environmentName: z.string().nullable(),
    environmentUrl: z.string().nullable(),
    repository: z.string().nullable(),
    sha: z.string().nullable(),
    deploymentId: z.string().nullable(),
    checkId: Uuid.nullable(),
    groupId: SerialId.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Deployment' })

const text = z.string().min(1).max(500).nullable().default(null)

const fields = z.object({
  environmentName: text.describe('production, preview, …'),
  environmentUrl: HttpUrl.nullable().default(null),
  repository: text,
  sha: text.describe('The commit'),
  deploymentId: text.describe('The id that the deploying system gave it'),
  checkId: Uuid.nullable().default(null).describe('The check that it concerns'),
  groupId: SerialId.nullable().default(null).describe('The check group that it concerns'),
})

export const DeploymentInput = fields
  .refine((values) => Object.values(values).some((value) => value !== null), 'must have at least one field')
  .meta({
    id: 'DeploymentInput',
    anyOf: Object.keys(fields.shape).map((name) => ({
      required: [name],
      properties: { [name]: { not: { enum: [null] } } },
    })),
  })

const tag = 'Deployments'

export const createDeployment = route({
  method: 'POST',
  path: '/v1/deployments',
  tag,
  summary: 'Record a deployment',
  access: 'READ_RUN',
  body: DeploymentInput,
  status: 201,
  response: Deployment,
  example: {
    environmentName: 'production',
    environmentUrl: 'https://shop.example.com',
    repository: 'example/shop',
    sha: '9b1f5a3e6d0c4b7e8f532f0f4d3a7c1198765432',
  },
})

export const deleteDeployment = route({
  method: 'DELETE',
  path: '/v1/deployments/{id}',
  tag,
  summary: 'Delete the record of a deployment',
  access: 'READ_WRITE',
  params: z.object({ id: Uuid }),
  status: 204,
})

export const listDeployments = route({
  method: 'GET',
  path: '/v1/deployments',
  tag,
  summary: 'List deployments, the latest first',
  access: 'READ_ONLY',
  query: PagedQuery.extend({
    from: UnixSeconds.optional().describe('UNIX seconds'),
    to: UnixSeconds.optional().describe('UNIX seconds, not included'),
  }),
  status: 200,
  response: z.array(Deployment),
  paged: true,
})
