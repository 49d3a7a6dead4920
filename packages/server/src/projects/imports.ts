// Imports resources of the account into a project: plan, apply, commit, cancel. In the transaction of the caller.
import {
  ApiError,
  type BodyOf,
  type createImportPlan,
  type ImportPlan,
  PhysicalId,
  type ProjectResource,
  ResourceType,
} from '@vedette/contracts'
import { z } from 'zod'
import { orNotFound } from '../core/or-not-found.ts'
import { type Db, violatedUnique } from '../storage/core/db.ts'
import type { Vault } from '../storage/core/vault.ts'
import {
  deleteImportPlan,
  type ImportPlanRow,
  insertImportPlan,
  lockImportPlan,
  markPlan,
  type PlannedResource,
  releaseBindings,
} from '../storage/projects/import-plans.ts'
import { listBound, readImportableSnippets } from '../storage/projects/importable.ts'
import { bindResources, listProjectResources } from '../storage/projects/project-resources.ts'
import { findProject } from '../storage/projects/projects.ts'
import { resourceKey } from '../storage/projects/resource-versions.ts'
import { listImportable } from './import-payloads.ts'

type Plan = z.output<typeof ImportPlan>
type Request = BodyOf<typeof createImportPlan>

export interface ImportContext {
  accountId: string
  vault: Vault
}

const Planned = z.array(z.object({ type: ResourceType, logicalId: z.string(), physicalId: PhysicalId }))

export async function planImport(
  tx: Db,
  context: ImportContext,
  logicalId: string,
  { filters, friends }: Request,
  isPreview: boolean,
): Promise<Plan> {
  const { accountId } = context
  const project = orNotFound(await findProject(tx, accountId, logicalId))
  const bound = new Set(
    (await listBound(tx, accountId)).map(({ type, physical_id }) => `${type} ${physical_id}`),
  )
  const members = await listProjectResources(tx, accountId, project.id)
  const free = (await listImportable(tx, context)).filter((resource) => !bound.has(resourceKey(resource)))
  const chosen = free.filter((resource) => !isLink(resource.type) && isIncluded(filters, resource))
  const known = new Set([...bound, ...chosen.map(resourceKey)])
  // Subscriptions and assignments come with what they join.
  const links = free.filter(
    ({ type, payload }) => isLink(type) && endsOf(payload).every((end) => known.has(end)),
  )
  const taken = new Set(members.map((row) => `${row.type} ${row.logical_id}`))
  const resources = [...chosen, ...links].map(
    ({ type, physicalId, name }): PlannedResource => ({
      type,
      physicalId,
      logicalId: freeLogicalId(type, name, taken),
    }),
  )
  if (resources.length === 0)
    throw new ApiError('not_found', { message: 'No importable resources were found.' })
  const row: ImportPlanRow = isPreview
    ? previewOf(accountId, project.id, resources)
    : await insertImportPlan(tx, accountId, project.id, resources)
  const named = friends.flatMap((friend) => {
    const member = members.find(
      ({ type, logical_id }) => type === friend.type && logical_id === friend.logicalId,
    )
    return member === undefined ? [] : [{ ...friend, physicalId: idFrom(friend.type, member.physical_id) }]
  })
  return serializePlan(tx, context, row, named)
}

function previewOf(accountId: string, projectId: string, resources: PlannedResource[]): ImportPlanRow {
  return {
    id: '00000000-0000-4000-8000-000000000000',
    account_id: accountId,
    project_id: projectId,
    resources,
    created_at: new Date().toISOString(),
    applied_at: null,
    committed_at: null,
  }
}

/** From now on, deployments change these resources. */
export async function applyImport(tx: Db, context: ImportContext, id: string, now: number): Promise<Plan> {
  const { accountId } = context
  const plan = orNotFound(await lockImportPlan(tx, accountId, id))
  if (plan.applied_at !== null) throw wrongState('applied already')
  const bindings = Planned.parse(plan.resources).map((resource) => ({
    ...resource,
    accountId,
    projectId: plan.project_id,
    payloadHash: null,
    version: null,
    sourceFile: null,
    importPlanId: plan.id,
  }))
  try {
    await bindResources(tx, bindings, now)
  } catch (error) {
    if (violatedUnique(error) === null) throw error
    const message = 'A resource of the plan belongs to a project since. Cancel the plan, and make another.'
    throw new ApiError('conflict', { message })
  }
  return serializePlan(tx, context, await markPlan(tx, accountId, id, 'applied_at'))
}

export async function commitImport(tx: Db, context: ImportContext, id: string): Promise<Plan> {
  const { accountId } = context
  const plan = orNotFound(await lockImportPlan(tx, accountId, id))
  if (plan.applied_at === null) throw wrongState('not applied yet')
  if (plan.committed_at !== null) throw wrongState('committed already')
  await releaseBindings(tx, accountId, id)
  return serializePlan(tx, context, await markPlan(tx, accountId, id, 'committed_at'))
}

/** Its resources stay as they are, outside of the project. */
export async function cancelImport(tx: Db, { accountId }: ImportContext, id: string): Promise<void> {
  const plan = orNotFound(await lockImportPlan(tx, accountId, id))
  if (plan.committed_at !== null) throw wrongState('committed already')
  await deleteImportPlan(tx, accountId, id)
}

function wrongState(state: string): ApiError {
  return new ApiError('forbidden', { message: `The import plan is ${state}.` })
}

/** Resources that were deleted since are left out. */
export async function serializePlan(
  db: Db,
  context: ImportContext,
  row: ImportPlanRow,
  friends: Plan['changes']['friends'] = [],
): Promise<Plan> {
  const payloadOf = new Map(
    (await listImportable(db, context)).map((resource) => [resourceKey(resource), resource.payload]),
  )
  const resources = Planned.parse(row.resources).flatMap((resource) => {
    const payload = payloadOf.get(resourceKey(resource))
    return payload === undefined ? [] : [{ ...resource, member: true, payload }]
  })
  const snippets = await readImportableSnippets(db, context.accountId)
  const auxiliary = snippets.map((payload) => ({ type: 'snippet', physicalId: payload.id, payload }))
  return {
    id: row.id,
    createdAt: row.created_at,
    ...(row.applied_at !== null && { appliedAt: row.applied_at }),
    ...(row.committed_at !== null && { committedAt: row.committed_at }),
    changes: { resources, friends, auxiliary },
  }
}

function isLink(type: ProjectResource['type']): boolean {
  return type === 'alert-channel-subscription' || type.startsWith('private-location-')
}

const endTypes: Readonly<Record<string, ResourceType>> = {
  alertChannelId: 'alert-channel',
  checkId: 'check',
  groupId: 'check-group',
  privateLocationId: 'private-location',
}

function endsOf(payload: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(endTypes).flatMap(([field, type]) =>
    payload[field] == null ? [] : [`${type} ${payload[field]}`],
  )
}

function isIncluded(
  filters: Request['filters'],
  resource: { type: ResourceType; physicalId: PhysicalId },
): boolean {
  const fits = filters.filter(({ resource: of }) => {
    if (of == null) return true
    if (of.type !== resource.type) return false
    return of.physicalId == null || String(of.physicalId) === String(resource.physicalId)
  })
  return (fits.at(-1)?.type ?? 'include') === 'include'
}

function freeLogicalId(type: ResourceType, name: string, taken: Set<string>): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 100)
  const base = slug === '' ? type : slug
  for (let number = 1; ; number += 1) {
    const logicalId = number === 1 ? base : `${base}-${number}`
    if (taken.has(`${type} ${logicalId}`)) continue
    taken.add(`${type} ${logicalId}`)
    return logicalId
  }
}

function idFrom(type: ResourceType, text: string): PhysicalId {
  return /^\d+$/.test(text) && type !== 'check' ? Number(text) : text
}
