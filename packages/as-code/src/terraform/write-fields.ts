// Writes the settings of a resource as attributes and blocks, by its table.
import type { ResourceKind } from '../resource-names.ts'
import { Expression } from '../source.ts'
import { attribute, block, type HclItem, type HclValue } from './hcl.ts'
import {
  type BlockField,
  type Field,
  isEmpty,
  isJson,
  type Json,
  type PairsField,
  type ReferenceField,
  readPath,
  type ValueBlocksField,
  type ValueField,
} from './table.ts'

/** What a resource may refer to. */
export interface Scope {
  /** Of the resource, in Terraform. */
  readonly name: string
  /** Of a suite: the path of its archive, relative to the files. Absent: a variable holds the path. */
  readonly archive?: string | undefined
  /** Undefined: the resource isn't part of the files, so its id is written. A private location is named by its slug. */
  reference(kind: ResourceKind, id: string | number): Expression | undefined
  secret(field: string): Expression
}

export function writeFields(fields: readonly Field[], owner: Json, scope: Scope): HclItem[] {
  const items = fields.flatMap((field) => writeField(field, owner, scope))
  // Blocks come last, as in the provider's examples.
  return [...items.filter(({ item }) => item !== 'block'), ...items.filter(({ item }) => item === 'block')]
}

function writeField(field: Field, owner: Json, scope: Scope): HclItem[] {
  switch (field.field) {
    case 'constant':
      return [attribute(field.name, field.value)]
    case 'companion':
      return [attribute(field.name, new Expression(`${field.resource}.${scope.name}.${field.attribute}`))]
    case 'value':
      return writeValueField(field, owner, scope)
    case 'reference':
      return writeReference(field, owner, scope)
    case 'pairs':
      return writePairs(field, owner, scope)
    case 'value-blocks':
      return writeValueBlocks(field, owner, scope)
    case 'block':
      return writeBlocks(field, owner, scope)
  }
}

function writeValueField(
  { name, path, isAlways = false, secretName, translation }: ValueField,
  owner: Json,
  scope: Scope,
): HclItem[] {
  const read = readPath(owner, path)
  const secret = secretName?.(owner)
  // A secret that the API doesn't return reads as null, or is absent.
  if (secret !== undefined && read !== '') return [attribute(name, scope.secret(secret))]
  const one = translation ? translation.toTerraform(read, owner) : read
  if (one === undefined || one === null) return []
  return isEmpty(one) && !isAlways ? [] : [attribute(name, hclOf(one))]
}

function writeReference({ name, path, kind }: ReferenceField, owner: Json, scope: Scope): HclItem[] {
  const ids = readPath(owner, path)
  const refer = (id: unknown) =>
    typeof id === 'string' || typeof id === 'number' ? (scope.reference(kind, id) ?? id) : hclOf(id)
  if (isEmpty(ids)) return []
  return [attribute(name, Array.isArray(ids) ? ids.map(refer) : refer(ids))]
}

function writePairs({ name, path, isSecret = false }: PairsField, owner: Json, scope: Scope): HclItem[] {
  const entries = new Map<string, HclValue>()
  for (const { key, value, locked } of jsonItems(readPath(owner, path))) {
    const isHidden = isSecret || locked === true
    const one = isHidden ? scope.secret(`${name} ${String(key)}`) : String(value ?? '')
    if (!entries.has(String(key))) entries.set(String(key), one)
  }
  return entries.size === 0 ? [] : [attribute(name, { entries: [...entries] })]
}

function writeValueBlocks(
  { name, path, attribute: inner, itemPath, kind }: ValueBlocksField,
  owner: Json,
  scope: Scope,
): HclItem[] {
  const items = readPath(owner, path)
  if (!Array.isArray(items)) return []
  return items.map((item: unknown) => {
    const one = itemPath === undefined || !isJson(item) ? item : item[itemPath]
    const id = typeof one === 'string' || typeof one === 'number' ? one : ''
    return block(name, [], [attribute(inner, (kind && scope.reference(kind, id)) ?? id)])
  })
}

function writeBlocks(field: BlockField, owner: Json, scope: Scope): HclItem[] {
  const { name, path, fields, isRepeated = false, isAlways = false, isWritten, translation } = field
  if (isWritten && !isWritten(owner)) return []
  const read = readPath(owner, path)
  const one = translation ? translation.toTerraform(read, owner) : read
  if (isRepeated) return jsonItems(one).map((item) => block(name, [], writeFields(fields, item, scope)))
  if (!isJson(one)) return []
  if (isEmpty(path === '' ? writtenOf(fields, one) : one) && !isAlways && !isWritten) return []
  return [block(name, [], writeFields(fields, one, scope))]
}

/** Of a block that is about the resource itself: only what it contains counts. */
function writtenOf(fields: readonly Field[], owner: Json): unknown[] {
  const found = fields.flatMap((field) => (field.field === 'constant' ? [] : [readPath(owner, field.path)]))
  return found.filter((one) => !isEmpty(one))
}

function jsonItems(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter(isJson) : []
}

function hclOf(one: unknown): HclValue {
  if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') return one
  return Array.isArray(one) ? one.map(hclOf) : JSON.stringify(one)
}

/** The settings that have no attribute: paths in JSON. Values aren't shown, since they may be secret. */
export function listUnwritten(
  {
    fields,
    ignored,
    defaults = {},
  }: { fields: readonly Field[]; ignored: readonly string[]; defaults?: Json },
  resource: Json,
): string[] {
  const rest: Record<string, unknown> = structuredClone({ ...resource })
  for (const path of ignored) removePath(rest, path)
  for (const [path, one] of Object.entries(defaults)) if (readPath(rest, path) === one) removePath(rest, path)
  removeWritten(fields, rest)
  return [...new Set(leavesOf(rest, '').map((path) => path.replace(/\.\d+/g, '')))]
}

function removeWritten(fields: readonly Field[], owner: Record<string, unknown>): void {
  for (const field of fields) {
    if (field.field === 'constant') continue
    if (field.field === 'pairs') removePairs(readPath(owner, field.path))
    else if (field.field !== 'block') removePath(owner, field.path)
    else removeBlocks(field, owner)
  }
}

function removeBlocks(field: BlockField, owner: Record<string, unknown>): void {
  const { path, fields, isWritten, isInert = false, translation, isRepeated = false } = field
  if (isWritten && !isWritten(owner) && !isInert) return
  if (translation) removePath(owner, path)
  const inner = readPath(owner, path)
  const owners = isRepeated && Array.isArray(inner) ? inner : [inner]
  for (const one of owners) if (isMutable(one)) removeWritten(fields, one)
}

/** A map has one value per key, and no locks. */
function removePairs(list: unknown): void {
  if (!Array.isArray(list)) return
  const seen = new Set<unknown>()
  for (const item of list) {
    if (!isMutable(item)) continue
    if (!seen.has(item.key)) {
      seen.add(item.key)
      delete item.key
      delete item.value
    }
  }
}

function removePath(owner: Record<string, unknown>, path: string): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = readPath(owner, names.join('.'))
  if (isMutable(parent)) delete parent[last]
}

const isMutable = (one: unknown): one is Record<string, unknown> => isJson(one)

function leavesOf(one: unknown, path: string): string[] {
  if (one === null || one === undefined || one === '' || one === false) return []
  if (typeof one !== 'object') return [path]
  const prefix = path === '' ? '' : `${path}.`
  return Object.entries(one).flatMap(([name, inner]) => leavesOf(inner, `${prefix}${name}`))
}
