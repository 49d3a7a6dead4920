// Replaces references between resources of a project by ids of the account. Pure.
import { type FieldIssue, isRecord, type PhysicalId, type ResourceType } from '@vedette/contracts'

export interface Reference {
  type: ResourceType
  logicalId: string
}

interface ReferenceField {
  /** `*`: every entry of a list. */
  path: readonly string[]
  type: ResourceType
  /** The id is put into an object with this key. */
  wrapIn?: string
}

const check: ReferenceField = { path: ['checkId'], type: 'check' }
const group: ReferenceField = { path: ['groupId'], type: 'check-group' }
const location: ReferenceField = { path: ['privateLocationId'], type: 'private-location' }
/** What assignments give to checks and groups, see `prepare.ts`. */
const locations: ReferenceField = { path: ['privateLocations', '*'], type: 'private-location' }
const page: ReferenceField = { path: ['statusPageId'], type: 'status-page' }

/** The fields of payloads that name other resources. */
const referenceFields: Readonly<Record<ResourceType, readonly ReferenceField[]>> = {
  'status-page-service': [],
  'status-page': [{ path: ['cards', '*', 'services', '*'], type: 'status-page-service', wrapIn: 'id' }],
  'status-page-component': [
    page,
    { path: ['parentId'], type: 'status-page-component' },
    { path: ['serviceId'], type: 'status-page-service' },
  ],
  'status-page-automation-rule': [
    page,
    { path: ['components', '*', 'componentId'], type: 'status-page-component' },
  ],
  'check-group': [locations],
  check: [group, locations, { path: ['triggerIncident', 'serviceId'], type: 'status-page-service' }],
  'alert-channel': [],
  'alert-channel-subscription': [{ path: ['alertChannelId'], type: 'alert-channel' }, check, group],
  'maintenance-window': [],
  'private-location': [],
  'private-location-check-assignment': [location, check],
  'private-location-group-assignment': [location, group],
  dashboard: [],
}

export type Payload = Readonly<Record<string, unknown>>

/** All references of a payload, in the order of its fields. */
export function listReferences(type: ResourceType, payload: Payload): Reference[] {
  const found: Reference[] = []
  resolveReferences(type, payload, (reference) => {
    found.push(reference)
    return 0
  })
  return found
}

/**
 * The payload with ids instead of references. `resolve` returns undefined for a resource that it doesn't know; the issues
 * name those.
 */
export function resolveReferences(
  type: ResourceType,
  payload: Payload,
  resolve: (reference: Reference) => PhysicalId | undefined,
): { payload: Payload; issues: FieldIssue[] } {
  const issues: FieldIssue[] = []
  const replace = (field: ReferenceField, value: unknown, path: (string | number)[]): unknown => {
    if (!isRecord(value) || typeof value.ref !== 'string') return value
    const id = resolve({ type: field.type, logicalId: value.ref })
    if (id === undefined) {
      const message = `refers to the ${field.type} "${value.ref}", which isn't part of the deployment`
      issues.push({ path, message })
    }
    return field.wrapIn === undefined ? id : { [field.wrapIn]: id }
  }
  let resolved: unknown = payload
  for (const field of referenceFields[type]) {
    resolved = change(resolved, field.path, [], (value, path) => replace(field, value, path))
  }
  return { payload: isRecord(resolved) ? resolved : payload, issues }
}

function change(
  value: unknown,
  [name, ...rest]: readonly string[],
  at: (string | number)[],
  replace: (value: unknown, path: (string | number)[]) => unknown,
): unknown {
  if (name === undefined) return replace(value, at)
  if (name === '*') {
    if (!Array.isArray(value)) return value
    return value.map((entry: unknown, index) => change(entry, rest, [...at, index], replace))
  }
  if (!isRecord(value) || value[name] === undefined) return value
  return { ...value, [name]: change(value[name], rest, [...at, name], replace) }
}
