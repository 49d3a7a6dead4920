// Validation helpers for receivers.
import { type Call, Refusal, type Reply } from './http-receiver.ts'

export type Fields = Record<string, unknown>

/** Refuses a message with the response of one tool. */
export type Demand = (holds: boolean, words: string) => asserts holds

export function demandOf(reply: (words: string) => Reply): Demand {
  return (holds, words) => {
    if (!holds) throw new Refusal(words, reply(words))
  }
}

export function readJson({ headers, body }: Call, demand: Demand): Fields {
  demand(/^application\/json(;|$)/.test(headers['content-type'] ?? ''), 'content-type must be JSON')
  const parsed = parse(body)
  demand(isFields(parsed), 'the body must be a JSON object')
  return parsed
}

export function readForm({ headers, body }: Call, demand: Demand): Record<string, string> {
  const type = headers['content-type'] ?? ''
  demand(/^application\/x-www-form-urlencoded(;|$)/.test(type), 'content-type must be a form')
  const entries = [...new URLSearchParams(body)]
  const names = entries.map(([name]) => name)
  demand(new Set(names).size === names.length, 'a field is there twice')
  return Object.fromEntries(entries)
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown, longest = Number.POSITIVE_INFINITY): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longest
}

export function isOneOf<T extends string>(value: unknown, ...names: T[]): value is T {
  return names.includes(value as T)
}

export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
}

export function isLink(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s/]+\/\S*$/.test(value)
}

/** Only documented fields: a misspelled field would be lost silently. */
export function isOnly(fields: Fields, ...names: string[]): boolean {
  return Object.keys(fields).every((name) => names.includes(name))
}
