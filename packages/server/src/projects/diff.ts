// What a deployment does, by comparing what the project has with what was sent. Pure.
import type { PhysicalId, ResourceType } from '@vedette/contracts'

export interface Bound {
  type: ResourceType
  logicalId: string
  physicalId: PhysicalId
  /** Imported, and not committed: it isn't deleted. */
  isPending: boolean
}

interface Named {
  type: ResourceType
  logicalId: string
}

export interface Plan<M extends Named, B extends Bound> {
  created: M[]
  updated: { member: M; bound: B }[]
  deleted: B[]
  /** No longer part of the project, but kept. */
  detached: B[]
  /** Bound to something that people have deleted. */
  gone: B[]
}

const keyOf = ({ type, logicalId }: Named): string => `${type} ${logicalId}`

/** `exists`: whether the account still has the resource. */
export function planChanges<M extends Named, B extends Bound>(
  members: readonly M[],
  bound: readonly B[],
  { exists, preservesResources }: { exists: (bound: B) => boolean; preservesResources: boolean },
): Plan<M, B> {
  const plan: Plan<M, B> = { created: [], updated: [], deleted: [], detached: [], gone: [] }
  const boundOf = new Map(bound.map((row) => [keyOf(row), row]))
  for (const member of members) {
    const row = boundOf.get(keyOf(member))
    if (row !== undefined && exists(row)) plan.updated.push({ member, bound: row })
    else plan.created.push(member)
  }
  const kept = new Set(members.map(keyOf))
  for (const row of bound) {
    if (kept.has(keyOf(row))) continue
    if (!exists(row)) plan.gone.push(row)
    else if (row.isPending) continue
    else if (preservesResources) plan.detached.push(row)
    else plan.deleted.push(row)
  }
  return plan
}
