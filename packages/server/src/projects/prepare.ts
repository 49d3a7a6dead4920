// Reads what a client deploys: which resources there are, what they refer to, and whether they are valid. Pure, so the same for
// a dry run and for a deployment.
import {
  type FieldIssue,
  invalidInput,
  type PhysicalId,
  type ProjectDeployInput,
  type ProjectResource,
  physicalIdTypes,
  type ResourceType,
  type SharedFile,
} from '@vedette/contracts'
import { kinds } from './kinds/index.ts'
import { labelOf } from './kinds/kind.ts'
import { listReferences, type Payload, type Reference, resolveReferences } from './payloads/resolve-refs.ts'

export interface Member {
  type: ResourceType
  logicalId: string
  payload: Payload
  label: string
  sourceFile: string | null
}

export interface Prepared {
  project: ProjectDeployInput['project']
  repoInfo?: ProjectDeployInput['repoInfo']
  sharedFiles: readonly SharedFile[]
  /** What the project consists of, in the order in which it was sent. */
  members: Member[]
  /** Resources of the account that members refer to. */
  others: { type: ResourceType; logicalId: string; physicalId: PhysicalId; label: string }[]
}

export const referenceKey = ({ type, logicalId }: Reference): string => `${type} ${logicalId}`

/** Throws a 400 that names everything that is wrong, each with its resource and source file. */
export function prepareDeployment(input: ProjectDeployInput): Prepared {
  const issues = [...duplicateIssues(input.resources), ...input.resources.flatMap(shapeIssues)]
  if (issues.length > 0) throw invalidInput(issues)
  const others = input.resources.flatMap(({ member, physicalId, ...resource }) =>
    member || physicalId === undefined ? [] : [{ ...resource, physicalId, label: labelOf(resource) }],
  )
  const members = withAssignedLocations(input.resources).flatMap((resource): Member[] => {
    if (!resource.member || resource.payload === null) return []
    const { type, logicalId, payload, sourceFile = null } = resource
    return [{ type, logicalId, payload, sourceFile, label: labelOf(resource) }]
  })
  const { project, repoInfo, sharedFiles } = input
  const prepared = { project, repoInfo, sharedFiles, members: parentsFirst(members), others }
  const wrong = validate(prepared)
  if (wrong.length > 0) throw invalidInput(wrong)
  return prepared
}

function duplicateIssues(resources: readonly ProjectResource[]): FieldIssue[] {
  const seen = new Set<string>()
  return resources.flatMap((resource) => {
    const key = referenceKey(resource)
    if (seen.has(key)) return [{ path: [labelOf(resource)], message: 'is listed twice' }]
    seen.add(key)
    return []
  })
}

function shapeIssues(resource: ProjectResource): FieldIssue[] {
  const { member, payload, physicalId, type } = resource
  const issue = (message: string) => [{ path: [labelOf(resource)], message }]
  if (member) return payload === null ? issue('has no payload') : []
  const id = physicalIdTypes[type]
  if (id === undefined) return issue("can't be a reference")
  return id.safeParse(physicalId).success ? [] : issue("has no valid physicalId, but isn't a member")
}

/** Checks and groups list the locations that assignments give them, so that both are changed at once. */
function withAssignedLocations(resources: readonly ProjectResource[]): ProjectResource[] {
  const assigned = new Map<string, object[]>()
  for (const { type, payload } of resources) {
    if (!type.startsWith('private-location-') || payload === null) continue
    const [location, target] = listReferences(type, payload)
    if (location === undefined || target === undefined) continue
    const key = referenceKey(target)
    assigned.set(key, [...(assigned.get(key) ?? []), { ref: location.logicalId }])
  }
  return resources.map((resource) => {
    const { type, payload } = resource
    if ((type !== 'check' && type !== 'check-group') || payload === null) return resource
    return {
      ...resource,
      payload: { ...payload, privateLocations: assigned.get(referenceKey(resource)) ?? [] },
    }
  })
}

/** Components after the groups that they are in. */
function parentsFirst(members: Member[]): Member[] {
  const components = new Map(
    members.flatMap((member) =>
      member.type === 'status-page-component' ? [[member.logicalId, member] as const] : [],
    ),
  )
  const ordered = new Set<Member>()
  const visit = (member: Member, below: readonly Member[]) => {
    if (ordered.has(member)) return
    if (below.includes(member)) {
      const circle = [...below.slice(below.indexOf(member)), member].map(({ logicalId }) => logicalId)
      const message = `is inside itself: ${circle.join(' → ')}`
      throw invalidInput([{ path: [`${member.label}.parentId`], message }])
    }
    const references = listReferences(member.type, member.payload)
    for (const { type, logicalId } of references) {
      const parent = type === member.type ? components.get(logicalId) : undefined
      if (parent !== undefined) visit(parent, [...below, member])
    }
    ordered.add(member)
  }
  for (const member of members) visit(member, [])
  return [...ordered]
}

/** Ids of resources that don't exist yet, so that payloads can be validated. They are never stored. */
const placeholders: Record<'integer' | 'uuid', PhysicalId> = {
  integer: 2_147_483_647,
  uuid: '00000000-0000-4000-8000-000000000000',
}

function placeholderOf(type: ResourceType): PhysicalId {
  return physicalIdTypes[type]?.safeParse(1).success ? placeholders.integer : placeholders.uuid
}

function validate({ members, others, sharedFiles }: Prepared): FieldIssue[] {
  const known = new Set([...members, ...others].map(referenceKey))
  return members.flatMap(({ type, payload, label }) => {
    const { payload: resolved, issues } = resolveReferences(type, payload, (reference) =>
      known.has(referenceKey(reference)) ? placeholderOf(reference.type) : undefined,
    )
    if (issues.length > 0) return at(label, issues)
    const read = kinds[type].read(
      withSlugs(resolved, () => 'placeholder'),
      sharedFiles,
    )
    return 'issues' in read ? at(label, read.issues) : []
  })
}

/** Checks and groups name private locations by their slugs. */
export function withSlugs(payload: Payload, slugOf: (locationId: string) => string | undefined): Payload {
  const { privateLocations } = payload
  if (!Array.isArray(privateLocations)) return payload
  const slugs = privateLocations.map((id: unknown) => (typeof id === 'string' ? (slugOf(id) ?? id) : id))
  return { ...payload, privateLocations: slugs }
}

function at(label: string, issues: readonly FieldIssue[]): FieldIssue[] {
  return issues.map(({ path, message }) => ({ path: [label, ...path], message }))
}
