// Turns the text of a query string or path into the kinds that its schema names, before the schema judges them.
import { z } from 'zod'

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
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = readField(bare(field as z.ZodType), name, raw)
    if (value !== undefined) result[name] = value
  }
  return result
}

export function shapeParams(schema: z.ZodObject, raw: Record<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.shape)) {
    const text = raw[name]
    if (text !== undefined) result[name] = scalar(bare(field as z.ZodType), text)
  }
  return result
}

function readField(field: z.ZodType, name: string, raw: RawQuery): unknown {
  if (field instanceof z.ZodArray) {
    const element = bare(field.element as z.ZodType)
    const values = [...splitSingle(raw[name]), ...(raw[`${name}[]`] ?? [])]
    // `?tag=` chooses nothing, as an absent parameter does.
    return values.length === 0 ? undefined : values.map((text) => scalar(element, text))
  }
  if (field instanceof z.ZodObject) {
    const entries = Object.entries(field.shape).flatMap(([key, inner]) => {
      const text = raw[`${name}[${key}]`]?.at(-1)
      return text === undefined ? [] : [[key, scalar(bare(inner as z.ZodType), text)] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  const text = raw[name]?.at(-1)
  if (text === undefined) return undefined
  return scalar(field, text)
}

/** Only a lone value is split at commas: who repeats a name may have commas in its values. */
function splitSingle(values: string[] | undefined): string[] {
  if (values === undefined) return []
  return values.length === 1 ? (values[0] as string).split(',').filter((part) => part !== '') : values
}

function scalar(field: z.ZodType, text: string): unknown {
  if (field instanceof z.ZodNumber || isNumeric(field)) return toNumber(text)
  if (field instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text
  return text
}

function isNumeric(field: z.ZodType): boolean {
  if (field instanceof z.ZodUnion) return (field.options as z.ZodType[]).every((option) => isNumeric(option))
  if (field instanceof z.ZodLiteral) return [...field.values].every((value) => typeof value === 'number')
  return field instanceof z.ZodNumber
}

function toNumber(text: string): unknown {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

function bare(field: z.ZodType): z.ZodType {
  let inner = field
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap() as z.ZodType
  }
  return inner
}
