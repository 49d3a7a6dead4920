// Finds fields of a body that its schemas don't have. Each route compiles its schemas once into a tree of field names; a request
// then costs one traversal of its body.
import { z } from 'zod'
import { fieldsOf, innerSchema, isLoose, type Schema } from './schema-parts.ts'

export interface UnknownField {
  path: (string | number)[]
  /** The known field with the most similar name. */
  suggestion: string | undefined
}

/** What is known at one path: 'open' accepts any field, null has no fields. */
type Node = ObjectNode | 'open' | null

interface ObjectNode {
  /** Null: the value isn't an object. */
  fields: Map<string, Node> | null
  items: Node
  /** For a discriminated union: the fields by the value of the discriminator. */
  variants: { name: string; byValue: Map<unknown, Map<string, Node>> } | null
}

/** A hostile body may have millions of unknown fields. */
const maxUnknown = 500

export class FieldTree {
  readonly #root: Node

  /** A field is known if any of the schemas has it. */
  constructor(schemas: readonly Schema[]) {
    this.#root = schemas.map(nodeOf).reduce(merge, null)
  }

  listUnknown(value: unknown): UnknownField[] {
    const unknown: UnknownField[] = []
    visit(this.#root, value, [], unknown)
    return unknown
  }
}

function visit(node: Node, value: unknown, path: (string | number)[], unknown: UnknownField[]): void {
  if (node === null || node === 'open' || typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (node.items === null || node.items === 'open') return
    for (let index = 0; index < value.length && unknown.length < maxUnknown; index++) {
      path.push(index)
      visit(node.items, value[index], path, unknown)
      path.pop()
    }
    return
  }
  const fields = fieldsFor(node, value)
  if (fields === null) return
  for (const [name, item] of Object.entries(value)) {
    const child = fields.get(name)
    if (child === undefined) {
      if (unknown.length >= maxUnknown) return
      unknown.push({ path: [...path, name], suggestion: nearestName(name, [...fields.keys()]) })
    } else if (child !== null && child !== 'open') {
      path.push(name)
      visit(child, item, path, unknown)
      path.pop()
    }
  }
}

/** An unknown discriminator value is compared with the fields of all branches. */
function fieldsFor({ fields, variants }: ObjectNode, value: object): Map<string, Node> | null {
  if (variants === null) return fields
  return variants.byValue.get(Reflect.get(value, variants.name)) ?? fields
}

/** Routes share most of their schemas. */
const compiled = new WeakMap<Schema, Node>()

function nodeOf(schema: Schema): Node {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const node = compile(schema)
  compiled.set(schema, node)
  return node
}

function compile(schema: Schema): Node {
  if (schema instanceof z.ZodObject) {
    if (isLoose(schema)) return 'open'
    const fields = new Map(fieldsOf(schema).map(([name, field]) => [name, nodeOf(field)]))
    return { fields, items: null, variants: null }
  }
  if (schema instanceof z.ZodArray) {
    const items = nodeOf(schema.element)
    return items === null ? null : { fields: null, items, variants: null }
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return compileDiscriminated(schema)
  if (schema instanceof z.ZodUnion) return schema.options.map(nodeOf).reduce(merge, null)
  if (schema instanceof z.ZodIntersection) {
    const { left, right } = schema._zod.def
    return merge(nodeOf(left), nodeOf(right))
  }
  if (schema instanceof z.ZodPipe) return nodeOf(schema._zod.def.in)
  const inner = innerSchema(schema)
  if (inner !== undefined) return nodeOf(inner)
  return isOpaque(schema) ? 'open' : null
}

/** Schemas that don't define which fields are allowed. */
function isOpaque(schema: Schema): boolean {
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

function compileDiscriminated(schema: z.ZodDiscriminatedUnion): Node {
  const name = schema._zod.def.discriminator
  const byValue = new Map<unknown, Map<string, Node>>()
  let all: Node = null
  for (const option of schema.options) {
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
    fields: a.fields === null || b.fields === null ? (a.fields ?? b.fields) : mergeFields(a.fields, b.fields),
    items: merge(a.items, b.items),
    variants: mergeVariants(a, b),
  }
}

function mergeFields(a: Map<string, Node>, b: Map<string, Node>): Map<string, Node> {
  const fields = new Map(a)
  for (const [name, node] of b)
    fields.set(name, fields.has(name) ? merge(fields.get(name) ?? null, node) : node)
  return fields
}

/** If one side has no variants, its fields are known in each variant of the other. */
function mergeVariants(a: ObjectNode, b: ObjectNode): ObjectNode['variants'] {
  if (a.variants === null && b.variants === null) return null
  if (a.variants !== null && b.variants !== null && a.variants.name !== b.variants.name) return null
  const values = new Set([...(a.variants?.byValue.keys() ?? []), ...(b.variants?.byValue.keys() ?? [])])
  const name = a.variants?.name ?? b.variants?.name ?? ''
  const known = ({ fields, variants }: ObjectNode, value: unknown) =>
    (variants === null ? fields : variants.byValue.get(value)) ?? new Map<string, Node>()
  const byValue = new Map<unknown, Map<string, Node>>()
  for (const value of values) {
    byValue.set(value, mergeFields(known(a, value), known(b, value)))
  }
  return { name, byValue }
}

/** At most one edit in short names, two or three in longer ones. */
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
