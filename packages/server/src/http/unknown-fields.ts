// Finds the fields of a body that no schema knows. Each route compiles its schemas once into a tree of field names;
// a request then costs one walk over its body.
import { z } from 'zod'

export interface UnknownField {
  path: (string | number)[]
  /** The known field with the most similar name. */
  suggestion: string | undefined
}

interface Shape {
  fields: Map<string, Node>
  /** Of a discriminated union: this shape applies only to these values of the field. */
  when?: { name: string; values: ReadonlySet<unknown> }
}

/** What may stand at one path. Nodes without shapes and items are scalars. */
interface Node {
  /** Any field is allowed. */
  isOpen: boolean
  shapes: Shape[]
  items: Node[]
}

/** A hostile body may have millions of unknown fields; the header has room for far fewer. */
const maxFound = 500

export class FieldTree {
  readonly #roots: Node[]

  /** A field is known if any of the schemas has it. */
  constructor(schemas: readonly z.ZodType[]) {
    this.#roots = schemas.map(nodeOf)
  }

  listUnknown(value: unknown): UnknownField[] {
    const found: UnknownField[] = []
    walk(this.#roots, value, [], found)
    return found
  }
}

function walk(nodes: Node[], value: unknown, path: (string | number)[], found: UnknownField[]): void {
  if (typeof value !== 'object' || value === null) return
  if (nodes.some(({ isOpen }) => isOpen)) return
  if (Array.isArray(value)) {
    const items = nodes.flatMap((node) => node.items)
    if (items.length === 0 || items.every(isScalar)) return
    for (let index = 0; index < value.length && found.length < maxFound; index++) {
      walk(items, value[index], [...path, index], found)
    }
    return
  }
  const shapes = applicable(nodes, value as Record<string, unknown>)
  if (shapes.length === 0) return
  for (const [name, item] of Object.entries(value)) {
    if (found.length >= maxFound) return
    const children = shapes.flatMap(({ fields }) => fields.get(name) ?? [])
    if (children.length > 0) {
      if (typeof item === 'object') walk(children, item, [...path, name], found)
    } else {
      const known = shapes.flatMap(({ fields }) => [...fields.keys()])
      found.push({ path: [...path, name], suggestion: nearestName(name, known) })
    }
  }
}

function isScalar({ isOpen, shapes, items }: Node): boolean {
  return !isOpen && shapes.length === 0 && items.length === 0
}

/** A value that fits no branch of a discriminated union is compared with all of them. */
function applicable(nodes: Node[], value: Record<string, unknown>): Shape[] {
  return nodes.flatMap(({ shapes }) => {
    const chosen = shapes.filter(({ when }) => when === undefined || when.values.has(value[when.name]))
    return chosen.length > 0 ? chosen : shapes
  })
}

const open: Node = { isOpen: true, shapes: [], items: [] }
const scalar: Node = { isOpen: false, shapes: [], items: [] }

function nodeOf(schema: z.ZodType): Node {
  if (schema instanceof z.ZodObject) {
    const { catchall } = schema._zod.def
    if (catchall !== undefined && !(catchall instanceof z.ZodNever)) return open
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, nodeOf(field as z.ZodType)])
    return { ...scalar, shapes: [{ fields: new Map(fields as [string, Node][]) }] }
  }
  if (schema instanceof z.ZodArray) return { ...scalar, items: [nodeOf(schema.element as z.ZodType)] }
  if (schema instanceof z.ZodDiscriminatedUnion) return discriminated(schema)
  if (schema instanceof z.ZodUnion) return merge((schema.options as z.ZodType[]).map(nodeOf))
  if (schema instanceof z.ZodIntersection) {
    const { left, right } = schema._zod.def
    return merge([nodeOf(left as z.ZodType), nodeOf(right as z.ZodType)])
  }
  if (schema instanceof z.ZodPipe) return nodeOf(schema._zod.def.in as z.ZodType)
  const inner = (schema._zod.def as { innerType?: z.ZodType }).innerType
  if (inner !== undefined) return nodeOf(inner)
  return isOpaque(schema) ? open : scalar
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
  const nodes = (schema.options as z.ZodType[]).map((option) => {
    const node = nodeOf(option)
    const values = option._zod.propValues?.[name]
    if (values === undefined) return node
    return { ...node, shapes: node.shapes.map((shape) => ({ ...shape, when: { name, values } })) }
  })
  return merge(nodes)
}

function merge(nodes: Node[]): Node {
  return {
    isOpen: nodes.some(({ isOpen }) => isOpen),
    shapes: nodes.flatMap(({ shapes }) => shapes),
    items: nodes.flatMap(({ items }) => items),
  }
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
