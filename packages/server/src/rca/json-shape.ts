// The types of a JSON document by path, without values: `$.items[].id` is a number.

export type JsonShape = ReadonlyMap<string, string>

const maxPaths = 2_000
const maxItems = 50
const maxDepth = 30

/** Null: the text isn't a JSON document. */
export function jsonShapeOf(text: string): JsonShape | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const shape = new Map<string, string>()
  addPaths(value, '$', shape, 0)
  return shape
}

function addPaths(value: unknown, path: string, shape: Map<string, string>, depth: number): void {
  if (shape.size >= maxPaths || depth > maxDepth) return
  const known = shape.get(path)
  // A value that is sometimes null has its other type.
  if (known === undefined || known === 'null') shape.set(path, typeOf(value))
  if (Array.isArray(value)) {
    for (const item of value.slice(0, maxItems)) addPaths(item, `${path}[]`, shape, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) addPaths(item, `${path}.${name}`, shape, depth + 1)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export interface ShapeChange {
  path: string
  before: string
  /** Null: the path is missing. */
  now: string | null
}

/** Paths that all earlier documents had, and that are missing now or have another type. */
export function shapeChanges(earlier: readonly JsonShape[], now: JsonShape): ShapeChange[] {
  const [first, ...others] = earlier
  if (first === undefined) return []
  const changes: ShapeChange[] = []
  for (const [path, before] of first) {
    if (before === 'null' || others.some((shape) => shape.get(path) !== before)) continue
    const type = now.get(path) ?? null
    if (type === before) continue
    // An empty list has no item type, and a missing parent is reported instead of its children.
    const parent = path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, path.lastIndexOf('.'))
    if (type === null && (!now.has(parent) || path.endsWith('[]'))) continue
    if (changes.some((change) => path.startsWith(`${change.path}.`) || path.startsWith(`${change.path}[`)))
      continue
    changes.push({ path, before, now: type })
  }
  return changes
}
