// Imports: a project takes over resources of the account. A plan binds them to logical ids; clients generate code from it.
// Applied, deployments change the resources and don't delete them. Committed, they are members like any other.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { LogicalId, PhysicalId, ProjectLogicalId, ResourceType } from './resources.ts'

const ImportFilter = z
  .object({
    type: z.enum(['include', 'exclude']),
    resource: z
      .object({ type: ResourceType, physicalId: PhysicalId.nullish() })
      .nullish()
      .describe('Absent: all resources'),
  })
  .meta({ id: 'ImportFilter' })

const Friend = z.object({ type: ResourceType, logicalId: LogicalId })

export const ImportedResource = z
  .object({
    type: ResourceType,
    logicalId: LogicalId,
    physicalId: PhysicalId,
    member: z.boolean(),
    payload: z.looseObject({}).describe('As a deployment would have it, with ids instead of references'),
  })
  .meta({ id: 'ImportedResource' })

export type ImportedResource = z.output<typeof ImportedResource>

export const ImportPlan = z
  .object({
    id: Uuid,
    createdAt: Timestamp,
    appliedAt: Timestamp.optional(),
    committedAt: Timestamp.optional(),
    changes: z.object({
      resources: z.array(ImportedResource),
      friends: z.array(Friend.extend({ physicalId: PhysicalId })),
      auxiliary: z.array(z.looseObject({ type: z.string(), physicalId: PhysicalId })),
    }),
  })
  .meta({ id: 'ImportPlan' })

const tag = 'Projects'
const params = z.object({ logicalId: ProjectLogicalId })
const planParams = z.object({ importPlanId: Uuid })

const listQuery = z.object({
  onlyUnapplied: z.boolean().default(false),
  onlyUncommitted: z.boolean().default(false),
})

export const createImportPlan = route({
  method: 'POST',
  path: '/next/projects/{logicalId}/imports',
  tag,
  summary: 'Plan which resources of the account a project takes over',
  description: 'Resources that belong to a project already are left out, and so are Playwright suites.',
  access: 'READ_WRITE',
  params,
  query: z.object({ preview: z.boolean().default(false).describe('The plan is not stored') }),
  body: z.object({
    filters: z
      .array(ImportFilter)
      .max(1000)
      .default([])
      .describe('The first one is for all resources; later ones override earlier ones'),
    friends: z.array(Friend).max(1000).default([]).describe('Resources of the project that code can name'),
  }),
  status: 201,
  response: ImportPlan,
  example: { filters: [{ type: 'include' }], friends: [] },
})

export const listProjectImports = route({
  method: 'GET',
  path: '/next/projects/{logicalId}/imports',
  tag,
  summary: 'List the import plans of a project',
  access: 'READ_WRITE',
  params,
  query: listQuery,
  status: 200,
  response: z.array(ImportPlan),
})

export const listImports = route({
  method: 'GET',
  path: '/next/projects/imports',
  tag,
  summary: 'List import plans',
  access: 'READ_WRITE',
  query: listQuery,
  status: 200,
  response: z.array(ImportPlan),
})

export const applyImportPlan = route({
  method: 'POST',
  path: '/next/projects/imports/{importPlanId}/apply',
  tag,
  summary: 'Apply an import plan: deployments change its resources from now on',
  access: 'READ_WRITE',
  params: planParams,
  status: 200,
  response: ImportPlan,
  errors: [409],
})

export const commitImportPlan = route({
  method: 'POST',
  path: '/next/projects/imports/{importPlanId}/commit',
  tag,
  summary: 'Commit an applied import plan: its resources are members of the project',
  access: 'READ_WRITE',
  params: planParams,
  status: 200,
  response: ImportPlan,
})

export const cancelImportPlan = route({
  method: 'DELETE',
  path: '/next/projects/imports/{importPlanId}',
  tag,
  summary: 'Cancel an import plan that is not committed',
  access: 'READ_WRITE',
  params: planParams,
  status: 204,
})
