// Deploys projects: all their resources at once, or none of them. The table `deployments` and its routes are records of other
// deployments (checks/deployments.ts).
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import {
  LogicalId,
  PhysicalId,
  ProjectLogicalId,
  ProjectResource,
  ResourceType,
  SharedFile,
} from './resources.ts'

const text = z.string().max(2000)

export const RepoInfo = z
  .looseObject({
    commitId: text.nullish(),
    repoUrl: text.nullish(),
    branchName: text.nullish(),
    commitOwner: text.nullish(),
    commitMessage: z.string().max(100_000).nullish(),
  })
  .meta({ id: 'RepoInfo' })

export type RepoInfo = z.output<typeof RepoInfo>

export const ProjectFields = z.object({
  logicalId: ProjectLogicalId,
  name: z.string().min(1).max(500),
  repoUrl: text.nullish(),
})

export const ProjectDeployInput = z
  .object({
    project: ProjectFields,
    sharedFiles: z.array(SharedFile).max(20_000).default([]).describe('Checks name them by their index'),
    resources: z.array(ProjectResource).max(50_000),
    repoInfo: RepoInfo.nullish(),
  })
  .meta({ id: 'ProjectDeployInput' })

export type ProjectDeployInput = z.output<typeof ProjectDeployInput>

export const DiffAction = z.enum(['CREATE', 'UPDATE', 'DELETE', 'DETACHED'])

export const ProjectChange = z
  .object({
    type: ResourceType,
    logicalId: LogicalId,
    physicalId: PhysicalId.optional().describe('Absent: it does not exist yet'),
    action: DiffAction.describe(
      'UPDATE: also if nothing changes; DETACHED: kept, but no part of the project',
    ),
  })
  .meta({ id: 'ProjectChange' })

export type ProjectChange = z.output<typeof ProjectChange>

const DeployedProject = z.object({ id: Uuid.optional(), logicalId: z.string(), name: z.string() })

export const ProjectDeployResult = z
  .object({ project: DeployedProject, diff: z.array(ProjectChange) })
  .meta({ id: 'ProjectDeployResult' })

export type ProjectDeployResult = z.output<typeof ProjectDeployResult>

export const deploymentStatuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const

export const ProjectDeployment = z
  .object({
    id: Uuid,
    logicalId: z.string().describe('Of the project'),
    status: z.enum(deploymentStatuses),
    dryRun: z.literal(false),
    progress: z.int().min(0).max(100).describe('Percent'),
    error: z
      .object({ statusCode: z.int(), message: z.string(), attributes: z.record(z.string(), z.unknown()) })
      .nullable(),
    result: ProjectDeployResult.nullable().describe('Once it has succeeded'),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    cancelRequestedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ProjectDeployment' })

export type ProjectDeployment = z.output<typeof ProjectDeployment>

const tag = 'Projects'
const params = z.object({ logicalId: ProjectLogicalId })
const deploymentParams = params.extend({ deploymentId: Uuid })
const running = 'Another deployment of the project is running: 409 with its `deploymentId`.'

export const deployProject = route({
  method: 'POST',
  path: '/v1/projects/deploy',
  tag,
  summary: 'Deploy a project',
  description:
    'Creates, updates and deletes the resources of the project, all or none. A key that a payload lacks has its default ' +
    `afterwards. With \`dryRun\`, the response is what would change. ${running}`,
  access: 'READ_WRITE',
  query: z.object({
    dryRun: z.boolean().default(false),
    scheduleOnDeploy: z.boolean().default(true).describe('Run created and changed checks once'),
    preserveResources: z
      .boolean()
      .default(false)
      .describe('Keep resources that the project no longer has, outside of it'),
  }),
  body: ProjectDeployInput,
  bodyLimit: 'project',
  status: 202,
  alternativeStatuses: [200],
  response: z.union([ProjectDeployment, ProjectDeployResult]),
  documentedResponses: { 200: ProjectDeployResult, 202: ProjectDeployment },
  errors: [402, 409, 413],
  example: {
    project: { logicalId: 'shop', name: 'Shop' },
    resources: [
      {
        type: 'check',
        logicalId: 'home',
        payload: {
          checkType: 'URL',
          name: 'Home page',
          locations: ['eu-central-1'],
          request: { method: 'GET', url: 'https://example.com/' },
        },
      },
    ],
  },
})

export const deleteProject = route({
  method: 'DELETE',
  path: '/v1/projects/{logicalId}',
  tag,
  summary: 'Delete a project and its resources',
  description: `Also if the account has no such project. ${running}`,
  access: 'READ_WRITE',
  params,
  query: z.object({
    preserveResources: z.boolean().default(false).describe('Delete only the project'),
    dryRun: z.boolean().default(false),
  }),
  status: 202,
  alternativeStatuses: [200],
  response: z.union([ProjectDeployment, ProjectDeployResult]),
  documentedResponses: { 200: ProjectDeployResult, 202: ProjectDeployment },
  errors: [409],
})

export const getProjectDeployment = route({
  method: 'GET',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}',
  tag,
  summary: 'Read a deployment of a project',
  access: 'READ_ONLY',
  params: deploymentParams,
  status: 200,
  response: ProjectDeployment,
})

export const awaitProjectDeployment = route({
  method: 'GET',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}/completion',
  tag,
  summary: 'Wait until a deployment is over',
  access: 'READ_ONLY',
  params: deploymentParams,
  query: z.object({ maxWaitSeconds: z.int().min(1).max(30).default(30) }),
  status: 200,
  response: ProjectDeployment,
  errors: [408],
})

export const cancelProjectDeployment = route({
  method: 'POST',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}/cancel',
  tag,
  summary: 'Cancel a deployment',
  description: 'It changes nothing, unless it is over already.',
  access: 'READ_WRITE',
  params: deploymentParams,
  status: 202,
  response: ProjectDeployment,
})

export const followProjectDeployment = route({
  method: 'GET',
  path: '/v1/projects/{logicalId}/deployments/{deploymentId}/events',
  tag,
  summary: 'Follow a deployment',
  description:
    'Server-sent events: `progress` with `{progress}`, and at the end `complete` with the deployment. Events can be read ' +
    'again at any time.',
  access: 'READ_ONLY',
  params: deploymentParams,
  status: 200,
  contentType: 'text/event-stream',
  response: z.union([ProjectDeployment, z.object({ progress: z.int() })]),
})
