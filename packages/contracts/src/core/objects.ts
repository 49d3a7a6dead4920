/** The keys of an object that has no keys beyond those of its type, such as a constant. */
export function keysOf<T extends object>(object: T): (keyof T & string)[] {
  return Object.keys(object) as (keyof T & string)[]
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A list as a tuple with at least one element, which unions of schemas need. */
export function nonEmpty<T>([first, ...rest]: readonly T[]): [T, ...T[]] {
  if (first === undefined) throw new Error('The list is empty')
  return [first, ...rest]
}
