// The objects `request` and `response` of scripts, and how they are read back.
import type { Pair, RequestView } from '../messages.ts'
import { requestMethods } from './passed-values.ts'

interface RequestObject {
  method: unknown
  url: unknown
  body: unknown
  headers: unknown
  queryParameters: unknown
}

export function requestObject({ method, url, body, headers, queryParameters }: RequestView): RequestObject {
  return { method, url, body, headers: objectOf(headers), queryParameters: objectOf(queryParameters) }
}

/** Throws with a message for the script's author. */
export function requestView(given: unknown): RequestView {
  if (typeof given !== 'object' || given === null) throw new Error('request is no longer an object')
  const { url, body, headers, queryParameters, ...rest }: Partial<RequestObject> = given
  const method = String(rest.method).toUpperCase()
  if (!requestMethods.includes(method)) throw new Error(`request.method must not be ${method}`)
  return {
    method,
    url: String(url),
    body: textOf(body),
    headers: pairsOf(headers, 'headers'),
    queryParameters: pairsOf(queryParameters, 'queryParameters'),
  }
}

/** Objects are serialized as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A repeated name has a list of values. */
function objectOf(pairs: readonly Pair[]): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value])
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]))
}

/** Accepts objects, and lists of {key, value} as in the check's settings. */
function pairsOf(given: unknown, field: string): Pair[] {
  if (given === null || given === undefined) return []
  if (typeof given !== 'object') throw new Error(`request.${field} is no longer an object`)
  const entries: [string, unknown][] = Array.isArray(given)
    ? given.map((pair) => [String(pair?.key ?? ''), pair?.value])
    : Object.entries(given)
  return entries.flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null)
      .map((one): Pair => [name, textOf(one)]),
  )
}
