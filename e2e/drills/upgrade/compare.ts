// Two responses to the same request, field by field. A newer version may add fields, and nothing else.

export interface Difference {
  /** Such as `entries[0].name`. */
  path: string
  before: unknown
  after: unknown
}

export function compare(before: unknown, after: unknown, path = ''): Difference[] {
  if (Array.isArray(before)) {
    if (!Array.isArray(after) || after.length !== before.length) return [{ path, before, after }]
    return before.flatMap((item, index) => compare(item, after[index], `${path}[${index}]`))
  }
  if (isRecord(before)) {
    if (!isRecord(after)) return [{ path, before, after }]
    return Object.entries(before).flatMap(([key, value]) =>
      compare(value, after[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return Object.is(before, after) ? [] : [{ path, before, after }]
}

export function describeDifference({ path, before, after }: Difference): string {
  return `${path === '' ? 'the response' : path} was ${shorten(before)} and is ${shorten(after)}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
