// Which values a JSON document has where, without the values: `$.items[].id` is a number.

export type JsonShape = ReadonlyMap<string, string>

const maxPaths = 2_000
const maxItems = 50
const maxDepth = 30

/** Null: the text is no JSON document. */
export function jsonShapeOf(text: string): JsonShape | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const shape = new Map<string, string>()
  walk(value, '$', shape, 0)
  return shape
}

function walk(value: unknown, path: string, shape: Map<string, string>, depth: number): void {
  if (shape.size >= maxPaths || depth > maxDepth) return
  const type = typeOf(value)
  const known = shape.get(path)
  // An element that is sometimes null is of the other type.
  if (known === undefined || known === 'null') shape.set(path, type)
  if (Array.isArray(value)) {
    for (const item of value.slice(0, maxItems)) walk(item, `${path}[]`, shape, depth + 1)
  } else if (type === 'object') {
    for (const [name, item] of Object.entries(value as object)) {
      walk(item, `${path}.${name}`, shape, depth + 1)
    }
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export interface ShapeChange {
  path: string
  before: string
  /** Null: it is gone. */
  now: string | null
}

/** What every one of the earlier documents had, and this one does not have, or has as another type. */
export function shapeChanges(earlier: readonly JsonShape[], now: JsonShape): ShapeChange[] {
  const [first, ...others] = earlier
  if (first === undefined) return []
  const changes: ShapeChange[] = []
  for (const [path, before] of first) {
    if (before === 'null' || others.some((shape) => shape.get(path) !== before)) continue
    const type = now.get(path) ?? null
    if (type === before) continue
    // Of a list that is empty nothing is known, and what is inside something gone goes with it.
    const parent = path.endsWith('[]') ? path.slice(0, -2) : path.slice(0, path.lastIndexOf('.'))
    if (type === null && (!now.has(parent) || path.endsWith('[]'))) continue
    if (changes.some((change) => path.startsWith(`${change.path}.`) || path.startsWith(`${change.path}[`)))
      continue
    changes.push({ path, before, now: type })
  }
  return changes
}
