// Values of templates: JSON. Only own members of records are visible, so prototypes aren't accessible.

export type Value = string | number | boolean | null | undefined | readonly Value[] | RecordValue

export interface RecordValue {
  readonly [name: string]: Value
}

export function isTruthy(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

export function isRecord(value: Value): value is RecordValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textOf(value: Value): string {
  if (value === null || value === undefined) return ''
  if (isRecord(value)) return JSON.stringify(value)
  return Array.isArray(value) ? value.map(textOf).join(',') : String(value)
}

/** Lists and records are converted to text first: Number() of a record may throw. */
export function numberOf(value: Value): number {
  return Number(typeof value === 'object' ? textOf(value) : value)
}

export function isLooselySame(a: Value, b: Value): boolean {
  const isList = (value: Value) => typeof value === 'object' && value !== null
  if (isList(a) && isList(b)) return a === b
  // biome-ignore lint/suspicious/noDoubleEquals: templates use loose comparison
  return (isList(a) ? textOf(a) : a) == (isList(b) ? textOf(b) : b)
}

/** A member of a record, an element of a list, or a length; nothing else has properties. */
export function propertyOf(value: Value, name: string): Value {
  if (isRecord(value)) return Object.hasOwn(value, name) ? value[name] : undefined
  if (name === 'length') return Array.isArray(value) || typeof value === 'string' ? value.length : undefined
  return Array.isArray(value) && /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined
}
