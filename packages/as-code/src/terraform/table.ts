// What the provider `checkly/checkly` calls the fields of the API. A table is used in both directions: the export writes attributes and
// blocks by it, and tests turn parsed files back into the JSON that the provider sends.
import type { ResourceKind } from '../resource-names.ts'

export type Json = Readonly<Record<string, unknown>>

/** Values that the two sides write differently. */
export interface Translation {
  toTerraform(value: unknown, owner: Json): unknown
  toApi(value: unknown): unknown
}

interface Named {
  /** Of the attribute or block. */
  readonly name: string
  /** Of the field in JSON, relative to the object that the block is about. Empty, of a block: this object. */
  readonly path: string
}

export interface ValueField extends Named {
  readonly field: 'value'
  /** Written even if it is false, zero or empty: it is required, or the provider's default is another value. */
  readonly isAlways?: boolean
  /** What a secret is called, undefined where the value isn't one. */
  readonly secretName?: (owner: Json) => string | undefined
  readonly translation?: Translation
}

/** The id of another resource, or a list of them. */
export interface ReferenceField extends Named {
  readonly field: 'reference'
  readonly kind: ResourceKind
}

/** A list of keys and values, which is a map in Terraform. */
export interface PairsField extends Named {
  readonly field: 'pairs'
  /** Else values are secret if they are locked. */
  readonly isSecret?: boolean
}

export interface BlockField extends Named {
  readonly field: 'block'
  readonly fields: readonly Field[]
  /** One block for each item of a list. */
  readonly isRepeated?: boolean
  /** Written even if everything in it is empty. */
  readonly isAlways?: boolean
  /** Absent: it is written unless it is empty. */
  readonly isWritten?: (owner: Json) => boolean
  /** Has no effect where it isn't written, so nothing is lost. */
  readonly isInert?: boolean
  readonly translation?: Translation
}

/** An attribute that has no field in JSON. */
export interface ConstantField {
  readonly field: 'constant'
  readonly name: string
  readonly value: string | boolean
}

/** A list of values, each of which is a block with one attribute. */
export interface ValueBlocksField extends Named {
  readonly field: 'value-blocks'
  readonly attribute: string
  /** Where items are objects: the field that holds the value. */
  readonly itemPath?: string
  readonly kind?: ResourceKind
}

/** An attribute of another resource that is written beside this one, under the same name. */
export interface CompanionField extends Named {
  readonly field: 'companion'
  readonly resource: string
  readonly attribute: string
}

export type Field =
  | ValueField
  | ReferenceField
  | PairsField
  | BlockField
  | ConstantField
  | ValueBlocksField
  | CompanionField

export interface Table {
  /** `checkly_url_monitor`. */
  readonly resource: string
  readonly fields: readonly Field[]
  /** Fields of the API that aren't settings, or that another resource of the provider holds. */
  readonly ignored: readonly string[]
  /** Paths of settings without an attribute, and their values in a resource that doesn't set them. */
  readonly defaults?: Json
}

type Options<F> = Partial<Omit<F, 'field' | 'name'>>

export const value = (name: string, options: Options<ValueField> = {}): ValueField => ({
  field: 'value',
  name,
  path: camelCase(name),
  ...options,
})

export const always = (name: string, options: Options<ValueField> = {}): ValueField =>
  value(name, { isAlways: true, ...options })

/** Each named as in JSON. */
export const values = (...names: string[]): ValueField[] => names.map((name) => value(name))

export const allAlways = (...names: string[]): ValueField[] => names.map((name) => always(name))

export const secret = (name: string, options: Options<ValueField> = {}): ValueField =>
  value(name, { secretName: () => name, ...options })

export const reference = (name: string, kind: ResourceKind, path = camelCase(name)): ReferenceField => ({
  field: 'reference',
  name,
  path,
  kind,
})

export const pairs = (name: string, options: Options<PairsField> = {}): PairsField => ({
  field: 'pairs',
  name,
  path: camelCase(name),
  ...options,
})

export const block = (
  name: string,
  fields: readonly Field[],
  options: Options<BlockField> = {},
): BlockField => ({ field: 'block', name, path: camelCase(name), fields, ...options })

export const blocks = (name: string, path: string, fields: readonly Field[]): BlockField =>
  block(name, fields, { path, isRepeated: true })

export const constant = (name: string, one: string | boolean): ConstantField => ({
  field: 'constant',
  name,
  value: one,
})

/** `group_id` → `groupId`. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, char: string) => char.toUpperCase())
}

export function isJson(one: unknown): one is Json {
  return typeof one === 'object' && one !== null && !Array.isArray(one)
}

/** Null, false, zero, and what contains nothing else. */
export function isEmpty(one: unknown): boolean {
  if (one === undefined || one === null || one === '' || one === 0 || one === false) return true
  if (Array.isArray(one)) return one.length === 0
  return isJson(one) && Object.values(one).every(isEmpty)
}

export function readPath(owner: Json, path: string): unknown {
  if (path === '') return owner
  return path.split('.').reduce<unknown>((one, name) => (isJson(one) ? one[name] : undefined), owner)
}
