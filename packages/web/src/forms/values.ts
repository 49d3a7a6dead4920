// Reading and changing the values of a form by path: `request.headers.0.key`.

export interface Change {
  path: string
  before: unknown
  after: unknown
}

export function valueAt(values: unknown, path: string): unknown {
  let value = values
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** A copy in which only the objects on the path are new. */
export function withValue<T extends object>(values: T, path: string, value: unknown): T {
  const [key = '', ...rest] = path.split('.')
  const copy: object = Array.isArray(values) ? [...values] : { ...values }
  const inner = rest.length === 0 ? value : withValue(Reflect.get(copy, key) ?? {}, rest.join('.'), value)
  Reflect.set(copy, key, inner)
  return copy as T
}

/** What differs, by the deepest path of objects; lists are compared whole. */
export function changesOf(before: unknown, after: unknown, path = ''): Change[] {
  if (isPlain(before) && isPlain(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) =>
      changesOf(Reflect.get(before, key), Reflect.get(after, key), path === '' ? key : `${path}.${key}`),
    )
  }
  return isSame(before, after) ? [] : [{ path, before, after }]
}

export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]))
  return isPlain(one) && isPlain(other) && changesOf(one, other).length === 0
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
