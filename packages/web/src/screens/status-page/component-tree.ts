// The components of a status page as the editor has them: a flat list, each group before what is in it.
import type { PageComponent } from '../../api/pages.ts'

export interface EditedComponent {
  id: string
  parentId: string | null
  type: PageComponent['type']
  /** Empty: the name of the service. */
  name: string
  description: string | null
  hidden: boolean
  configuration: { expandedByDefault?: boolean; showHistoricalData?: boolean }
  /** Null: a group, or a service that is created with the component. */
  serviceId: string | null
}

const maxDepth = 3

export function editedOf(component: PageComponent): EditedComponent {
  const { id, parentId, type, name, description, hidden, serviceId, configuration } = component
  const { expandedByDefault = true, showHistoricalData = true } = configuration
  return {
    ...{ id, parentId, type, name, description, hidden, serviceId },
    configuration: type === 'GROUP' ? { expandedByDefault } : { showHistoricalData },
  }
}

export function depthOf(list: readonly EditedComponent[], id: string | null): number {
  const parent = list.find((one) => one.id === id)
  return parent === undefined ? 0 : 1 + depthOf(list, parent.parentId)
}

/** It and all that is in it. */
export function branchOf(list: readonly EditedComponent[], id: string): EditedComponent[] {
  return list.filter((one) => one.id === id || isInside(list, one, id))
}

function isInside(list: readonly EditedComponent[], { parentId }: EditedComponent, groupId: string): boolean {
  if (parentId === null) return false
  if (parentId === groupId) return true
  const parent = list.find(({ id }) => id === parentId)
  return parent !== undefined && isInside(list, parent, groupId)
}

/** How many levels the branch has. */
function heightOf(list: readonly EditedComponent[], id: string): number {
  const inner = list.filter(({ parentId }) => parentId === id)
  return 1 + Math.max(0, ...inner.map((one) => heightOf(list, one.id)))
}

/** Null is the first level. */
export function canMoveInto(list: readonly EditedComponent[], id: string, groupId: string | null): boolean {
  if (groupId === null) return true
  const group = list.find((one) => one.id === groupId)
  if (group?.type !== 'GROUP' || branchOf(list, id).some((one) => one.id === groupId)) return false
  return depthOf(list, groupId) + heightOf(list, id) <= maxDepth
}

/** `beforeId`: among what is in the group; null: at its end. */
export function moveTo(
  list: readonly EditedComponent[],
  id: string,
  groupId: string | null,
  beforeId: string | null,
): EditedComponent[] {
  if (id === beforeId || !canMoveInto(list, id, groupId)) return [...list]
  const moved = branchOf(list, id).map((one) => (one.id === id ? { ...one, parentId: groupId } : one))
  return sorted(withBranch(withoutBranch(list, id), moved, beforeId))
}

/** One step among its siblings. */
export function moveBy(list: readonly EditedComponent[], id: string, step: 1 | -1): EditedComponent[] {
  const parentId = list.find((one) => one.id === id)?.parentId ?? null
  const siblings = list.filter((one) => one.parentId === parentId)
  const index = siblings.findIndex((one) => one.id === id)
  const target = siblings[index + step]
  if (target === undefined) return [...list]
  const before = step === -1 ? target.id : (siblings[index + 2]?.id ?? null)
  return moveTo(list, id, parentId, before)
}

export function withoutBranch(list: readonly EditedComponent[], id: string): EditedComponent[] {
  const gone = new Set(branchOf(list, id).map((one) => one.id))
  return list.filter((one) => !gone.has(one.id))
}

function withBranch(
  list: readonly EditedComponent[],
  branch: readonly EditedComponent[],
  beforeId: string | null,
): EditedComponent[] {
  const index = beforeId === null ? -1 : list.findIndex((one) => one.id === beforeId)
  return index === -1 ? [...list, ...branch] : [...list.slice(0, index), ...branch, ...list.slice(index)]
}

/** Each group before what is in it; siblings keep their order. */
export function sorted(list: readonly EditedComponent[], parentId: string | null = null): EditedComponent[] {
  return list.filter((one) => one.parentId === parentId).flatMap((one) => [one, ...sorted(list, one.id)])
}

type Fields = Partial<Omit<EditedComponent, 'id' | 'type' | 'serviceId'>> & { displayOrder?: number }

export type ComponentStep =
  | { kind: 'create'; component: EditedComponent; displayOrder: number }
  | { kind: 'update'; id: string; fields: Fields }
  | { kind: 'delete'; id: string }

/**
 * The requests that make the stored list the edited one. Services are removed first, because a group has each once; groups
 * last, because only empty ones can be.
 */
export function stepsBetween(
  before: readonly EditedComponent[],
  after: readonly EditedComponent[],
): ComponentStep[] {
  const known = new Map(before.map((one) => [one.id, one]))
  const kept = new Set(after.map(({ id }) => id))
  const gone = before.filter(({ id }) => !kept.has(id))
  const remove = (type: PageComponent['type']): ComponentStep[] =>
    gone
      .filter((one) => one.type === type)
      .reverse()
      .map(({ id }) => ({ kind: 'delete', id }))
  const changed = after.flatMap((component): ComponentStep[] => {
    const displayOrder = siblingsOf(after, component).indexOf(component.id)
    const stored = known.get(component.id)
    if (stored === undefined) return [{ kind: 'create', component, displayOrder }]
    const isReordered = String(siblingsOf(after, component)) !== String(siblingsOf(before, stored))
    const fields = { ...changedFields(stored, component), ...(isReordered ? { displayOrder } : {}) }
    return Object.keys(fields).length === 0 ? [] : [{ kind: 'update', id: component.id, fields }]
  })
  return [...remove('SERVICE'), ...changed, ...remove('GROUP')]
}

function siblingsOf(list: readonly EditedComponent[], { parentId }: EditedComponent): string[] {
  return list.filter((one) => one.parentId === parentId).map(({ id }) => id)
}

function changedFields(before: EditedComponent, after: EditedComponent): Fields {
  return {
    ...(after.parentId === before.parentId ? {} : { parentId: after.parentId }),
    ...(after.name === before.name ? {} : { name: after.name }),
    ...(after.description === before.description ? {} : { description: after.description }),
    ...(after.hidden === before.hidden ? {} : { hidden: after.hidden }),
    ...(JSON.stringify(after.configuration) === JSON.stringify(before.configuration)
      ? {}
      : { configuration: after.configuration }),
  }
}
