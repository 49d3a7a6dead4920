// Projects, as clients that import resources read and create them.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { ProjectFields } from './deployments.ts'
import { ProjectLogicalId } from './resources.ts'

export const Project = z
  .object({
    id: Uuid,
    logicalId: z.string(),
    name: z.string(),
    repoUrl: z.string().nullable(),
    resourceCount: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'Project' })

const tag = 'Projects'

export const listProjects = route({
  method: 'GET',
  path: '/next/projects',
  tag,
  summary: 'List projects',
  access: 'READ_ONLY',
  status: 200,
  response: z.array(Project),
})

export const getProject = route({
  method: 'GET',
  path: '/next/projects/{logicalId}',
  tag,
  summary: 'Read a project',
  access: 'READ_ONLY',
  params: z.object({ logicalId: ProjectLogicalId }),
  status: 200,
  response: Project,
})

export const createProject = route({
  method: 'POST',
  path: '/next/projects',
  tag,
  summary: 'Create a project without resources',
  access: 'READ_WRITE',
  body: ProjectFields.meta({ id: 'ProjectInput' }),
  status: 201,
  response: Project,
  errors: [409],
  example: { logicalId: 'shop', name: 'Shop' },
})
