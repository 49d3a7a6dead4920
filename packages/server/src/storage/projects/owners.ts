// The project that a resource belongs to, and whether it was edited since its deployment.
import type { PhysicalId, ProjectFieldValues, ResourceType } from '@vedette/contracts'
import type { Db } from '../core/db.ts'
import { listOwners } from './project-resources.ts'
import { readVersions, resourceKey } from './resource-versions.ts'

export interface Owner {
  projectId: string
  projectLogicalId: string
  projectName: string
  logicalId: string
  isPending: boolean
  isDrifted: boolean
}

/** As SQL, for the row `c` of a check. Null: it isn't part of a project. */
export const ownerOfCheck = `(
    select json_build_object('projectId', p.id, 'projectLogicalId', p.logical_id, 'projectName', p.name,
      'logicalId', r.logical_id, 'isPending', r.import_plan_id is not null,
      'isDrifted', r.version <> extract(epoch from coalesce(c.updated_at, c.created_at))::text)
    from project_resources r join projects p on p.account_id = r.account_id and p.id = r.project_id
    where r.account_id = c.account_id and r.type = 'check' and r.physical_id = c.id::text
  ) as owner`

export function projectFieldsOf(owner: Owner | null | undefined): ProjectFieldValues {
  if (owner == null) return {}
  const project = { id: owner.projectId, logicalId: owner.projectLogicalId, name: owner.projectName }
  const { logicalId, isPending: pending, isDrifted } = owner
  return {
    project,
    logicalId,
    projectBindings: { owner: { project, binding: { logicalId, pending } }, references: [] },
    // Null: it was imported and never deployed.
    drifted: isDrifted === true,
  }
}

/** Adds to resources of one type which project they belong to. */
export async function withProjectFields<T extends { id: PhysicalId }>(
  db: Db,
  accountId: string,
  type: ResourceType,
  items: readonly T[],
): Promise<(T & ProjectFieldValues)[]> {
  const ids = items.map(({ id }) => id)
  const bound = await readProjectFields(db, accountId, type, ids)
  return items.map((item) => ({ ...item, ...bound.get(String(item.id)) }))
}

export async function withProjectFieldsOfOne<T extends { id: PhysicalId }>(
  db: Db,
  accountId: string,
  type: ResourceType,
  item: T,
): Promise<T & ProjectFieldValues> {
  const [first = item] = await withProjectFields(db, accountId, type, [item])
  return first
}

/** By the id of the resource. */
export async function readProjectFields(
  db: Db,
  accountId: string,
  type: ResourceType,
  ids: readonly PhysicalId[],
): Promise<Map<string, ProjectFieldValues>> {
  const owners = await listOwners(db, accountId, type, ids)
  if (owners.length === 0) return new Map()
  const bound = owners.map(({ physical_id: physicalId }) => ({ type, physicalId }))
  const versions = await readVersions(db, accountId, bound)
  return new Map(
    owners.map((row) => {
      const version = versions.get(resourceKey({ type, physicalId: row.physical_id }))
      const owner = {
        projectId: row.project_id,
        projectLogicalId: row.project_logical_id,
        projectName: row.project_name,
        logicalId: row.logical_id,
        isPending: row.is_pending,
        isDrifted: row.version !== null && row.version !== version,
      }
      return [row.physical_id, projectFieldsOf(owner)]
    }),
  )
}
