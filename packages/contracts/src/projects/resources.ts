// The resources of a project as code: what clients send to deploy them.
import { z } from 'zod'
import { SerialId, Uuid } from '../core/fields.ts'

/** In the order in which clients send them. */
export const resourceTypes = [
  'status-page-service',
  'status-page',
  'status-page-component',
  'status-page-automation-rule',
  'check-group',
  'check',
  'alert-channel',
  'alert-channel-subscription',
  'maintenance-window',
  'private-location',
  'private-location-check-assignment',
  'private-location-group-assignment',
  'dashboard',
] as const

export const ResourceType = z.enum(resourceTypes)
export type ResourceType = z.output<typeof ResourceType>

/** Clients compare them with these types: uuids of checks and pages, integers of the others. */
export const PhysicalId = z.union([SerialId, z.string().min(1).max(200)])
export type PhysicalId = z.output<typeof PhysicalId>

/** The type of the ids of a resource that has rows of its own. */
export const physicalIdTypes: Readonly<Partial<Record<ResourceType, z.ZodType<PhysicalId>>>> = {
  'status-page-service': Uuid,
  'status-page': Uuid,
  'status-page-component': Uuid,
  'status-page-automation-rule': Uuid,
  'check-group': SerialId,
  check: Uuid,
  'alert-channel': SerialId,
  'alert-channel-subscription': SerialId,
  'maintenance-window': SerialId,
  'private-location': Uuid,
  dashboard: SerialId,
}

export const LogicalId = z.string().min(1).max(500)

export const ProjectLogicalId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9_\-/#.]+$/, 'must be letters, digits and the characters _ - / # .')

/** A file that several scripts import. Checks name it by its index. */
export const SharedFile = z
  .object({ path: z.string().min(1).max(1000), content: z.string().max(5_000_000) })
  .meta({ id: 'SharedFile' })

export type SharedFile = z.output<typeof SharedFile>

export const ProjectResource = z
  .object({
    type: ResourceType,
    logicalId: LogicalId,
    physicalId: PhysicalId.optional().describe('Only of a resource that is not a member'),
    member: z
      .boolean()
      .default(true)
      .describe('false: a resource of the account that others refer to; it is never changed'),
    payload: z
      .looseObject({})
      .nullable()
      .default(null)
      .describe('The fields that the API takes; `{ref}` stands for the id of another resource'),
    sourceFile: z.string().max(1000).nullish().describe('Named in errors'),
  })
  .meta({ id: 'ProjectResource' })

export type ProjectResource = z.output<typeof ProjectResource>
