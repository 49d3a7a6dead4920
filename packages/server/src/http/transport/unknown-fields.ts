// Finds the fields of a body that no schema knows. Each route compiles its schemas once into a tree of field names;
// a request then costs one walk over its body.
import { z } from 'zod'

export interface UnknownField {
  path: (string | number)[]
  /** The known field with the most similar name. */
  suggestion: string | undefined
}

/** What may stand at one path: null where nothing has to be looked at. */
type Node = ObjectNode | 'open' | null

interface ObjectNode {
  /** Null: no object is allowed here. */
  fields: Map<string, Node> | null
  items: Node
  /** Of a discriminated union: the fields by the value of one of them. */
  variants: { name: string; byValue: Map<unknown, Map<string, Node>> } | null
}

/** A hostile body may have millions of unknown fields; the header has room for far fewer. */
const maxFound = 500

export class FieldTree {
  readonly #root: Node

  /** A field is known if any of the schemas has it. */
  constructor(schemas: readonly z.ZodType[]) {
    this.#root = schemas.map(nodeOf).reduce(merge, null)
  }

  listUnknown(value: unknown): UnknownField[] {
    const found: UnknownField[] = []
    walk(this.#root, value, [], found)
    return found
  }
}

function walk(node: Node, value: unknown, path: (string | number)[], found: UnknownField[]): void {
  if (node === null || node === 'open' || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (node.items === null || node.items === 'open') return
    for (let index = 0; index < value.length && found.length < maxFound; index++) {
      path.push(index)
      walk(node.items, value[index], path, found)
      path.pop()
    }
    return
  }
  const fields = fieldsFor(node, value as Record<string, unknown>)
  if (fields === null) return
  for (const name in value) {
    const child = fields.get(name)
    if (child === undefined) {
      if (found.length >= maxFound) return
      found.push({ path: [...path, name], suggestion: nearestName(name, [...fields.keys()]) })
    } else if (child !== null && child !== 'open') {
      path.push(name)
      walk(child, (value as Record<string, unknown>)[name], path, found)
      path.pop()
    }
  }
}

/** A value that no branch has is compared with all of them. */
function fieldsFor(
  { fields, variants }: ObjectNode,
  value: Record<string, unknown>,
): Map<string, Node> | null {
  return variants?.byValue.get(value[variants.name]) ?? fields
}

/** Routes share most of their schemas; a node never changes. */
const compiled = new WeakMap<z.ZodType, Node>()

function nodeOf(schema: z.ZodType): Node {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const node = compile(schema)
  compiled.set(schema, node)
  return node
}

function compile(schema: z.ZodType): Node {
  if (schema instanceof z.ZodObject) {
    const { catchall } = schema._zod.def
    if (catchall !== undefined && !(catchall instanceof z.ZodNever)) return 'open'
    const fields = new Map<string, Node>()
    for (const [name, field] of Object.entries(schema.shape)) fields.set(name, nodeOf(field as z.ZodType))
    return { fields, items: null, variants: null }
  }
  if (schema instanceof z.ZodArray) {
    const items = nodeOf(schema.element as z.ZodType)
    return items === null ? null : { fields: null, items, variants: null }
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return discriminated(schema)
  if (schema instanceof z.ZodUnion) return (schema.options as z.ZodType[]).map(nodeOf).reduce(merge, null)
  if (schema instanceof z.ZodIntersection) {
    const { left, right } = schema._zod.def
    return merge(nodeOf(left as z.ZodType), nodeOf(right as z.ZodType))
  }
  if (schema instanceof z.ZodPipe) return nodeOf(schema._zod.def.in as z.ZodType)
  const inner = (schema._zod.def as { innerType?: z.ZodType }).innerType
  if (inner !== undefined) return nodeOf(inner)
  return isOpaque(schema) ? 'open' : null
}

/** Schemas that say nothing of the fields inside. */
function isOpaque(schema: z.ZodType): boolean {
  return (
    schema instanceof z.ZodUnknown ||
    schema instanceof z.ZodAny ||
    schema instanceof z.ZodRecord ||
    schema instanceof z.ZodMap ||
    schema instanceof z.ZodTuple ||
    schema instanceof z.ZodCustom ||
    schema instanceof z.ZodLazy ||
    schema instanceof z.ZodTransform
  )
}

function discriminated(schema: z.ZodDiscriminatedUnion): Node {
  const name = schema._zod.def.discriminator
  const byValue = new Map<unknown, Map<string, Node>>()
  let all: Node = null
  for (const option of schema.options as z.ZodType[]) {
    const node = nodeOf(option)
    if (node === 'open') return 'open'
    all = merge(all, node)
    if (node?.fields === null || node === null) continue
    for (const value of option._zod.propValues?.[name] ?? []) byValue.set(value, node.fields)
  }
  return all === null || all === 'open' ? all : { ...all, variants: { name, byValue } }
}

function merge(a: Node, b: Node): Node {
  if (a === 'open' || b === 'open') return 'open'
  if (a === null || b === null) return a ?? b
  return {
    fields: mergeFields(a.fields, b.fields),
    items: merge(a.items, b.items),
    variants: mergeVariants(a, b),
  }
}

function mergeFields<F extends Map<string, Node> | null>(a: F, b: F): F {
  if (a === null || b === null) return a ?? b
  const fields = new Map(a)
  for (const [name, node] of b)
    fields.set(name, fields.has(name) ? merge(fields.get(name) ?? null, node) : node)
  return fields as F
}

/** Where one side has no variants, its fields are known in each of the other's. */
function mergeVariants(a: ObjectNode, b: ObjectNode): ObjectNode['variants'] {
  if (a.variants === null && b.variants === null) return null
  if (a.variants !== null && b.variants !== null && a.variants.name !== b.variants.name) return null
  const values = new Set([...(a.variants?.byValue.keys() ?? []), ...(b.variants?.byValue.keys() ?? [])])
  const name = a.variants?.name ?? b.variants?.name ?? ''
  const fieldsOf = ({ fields, variants }: ObjectNode, value: unknown) =>
    variants === null ? fields : (variants.byValue.get(value) ?? null)
  const byValue = new Map<unknown, Map<string, Node>>()
  for (const value of values) {
    byValue.set(value, mergeFields(fieldsOf(a, value), fieldsOf(b, value)) ?? new Map())
  }
  return { name, byValue }
}

/** One edit in short names, two or three in longer ones. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100) return undefined
  const allowed = Math.min(3, Math.max(1, Math.floor(name.length / 3)))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > allowed) continue
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}
