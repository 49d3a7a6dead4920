// Converts the text of a query string or path to the types of its schema, which then validates them.
import { z } from 'zod'
import { fieldsOf, innerSchema, type Schema } from './schema-parts.ts'

export type RawQuery = Record<string, string[]>

export function parseQuery(search: string): RawQuery {
  const raw: RawQuery = Object.create(null)
  for (const [name, value] of new URLSearchParams(search)) {
    raw[name] ??= []
    raw[name].push(value)
  }
  return raw
}

/** Arrays arrive as `a=1,2`, `a=1&a=2` and `a[]=1&a[]=2`; objects as `a[gte]=…`; unknown names are dropped. */
export function shapeQuery(schema: z.ZodObject, raw: RawQuery): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, field] of fieldsOf(schema)) {
    const value = readField(unwrap(field), name, raw)
    if (value !== undefined) result[name] = value
  }
  return result
}

export function shapeParams(schema: z.ZodObject, raw: Record<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, field] of fieldsOf(schema)) {
    const text = raw[name]
    if (text !== undefined) result[name] = readScalar(unwrap(field), text)
  }
  return result
}

function readField(field: Schema, name: string, raw: RawQuery): unknown {
  if (field instanceof z.ZodArray) {
    const element = unwrap(field.element)
    const values = [...splitSingle(raw[name]), ...(raw[`${name}[]`] ?? [])]
    // `?tag=` means the same as no parameter.
    return values.length === 0 ? undefined : values.map((text) => readScalar(element, text))
  }
  if (field instanceof z.ZodObject) {
    const entries = fieldsOf(field).flatMap(([key, inner]) => {
      const text = raw[`${name}[${key}]`]?.at(-1)
      return text === undefined ? [] : [[key, readScalar(unwrap(inner), text)] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  const text = raw[name]?.at(-1)
  if (text === undefined) return undefined
  return readScalar(field, text)
}

/** Only a single value is split at commas: clients that repeat the name may have commas in values. */
function splitSingle(values: string[] | undefined): string[] {
  const [first, ...others] = values ?? []
  if (first === undefined) return []
  return others.length === 0 ? first.split(',').filter((part) => part !== '') : [first, ...others]
}

function readScalar(field: Schema, text: string): unknown {
  if (field instanceof z.ZodNumber || isNumeric(field)) return toNumber(text)
  if (field instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text
  return text
}

function isNumeric(field: Schema): boolean {
  if (field instanceof z.ZodUnion) return field.options.every(isNumeric)
  if (field instanceof z.ZodLiteral) return [...field.values].every((value) => typeof value === 'number')
  return field instanceof z.ZodNumber
}

function toNumber(text: string): unknown {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

function unwrap(field: Schema): Schema {
  const inner = innerSchema(field)
  return inner === undefined ? field : unwrap(inner)
}
