// Messages between the agent and a child, as JSON lines. The child is untrusted: its messages are validated field by field.

import { parseJson } from '../core/parse-json.ts'
import { requestMethods, sizeOf } from './child/passed-values.ts'
import type { ScriptLimits } from './limits.ts'

export type ScriptPhase = 'setup' | 'teardown'
export type LogLevel = (typeof logLevels)[number]
export type Pair = [name: string, value: string]

const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const

/** The request as scripts see it; names may repeat. */
export interface RequestView {
  method: string
  url: string
  body: string
  headers: Pair[]
  queryParameters: Pair[]
}

export interface ResponseView {
  statusCode: number
  statusText: string
  body: string
  headers: Record<string, unknown>
  timings: unknown
  timingPhases: unknown
}

/** Files that a script imports, and its own path among them. */
export interface ScriptImports {
  path: string
  files: readonly { path: string; content: string }[]
}

export type ToChild =
  | {
      type: 'begin'
      variables: Pair[]
      snippets: { name: string; script: string }[]
      region: string
      maxPassedBytes: number
      modules: string | null
    }
  | {
      type: 'run'
      id: number
      phase: ScriptPhase
      script: string
      imports: ScriptImports | null
      request: RequestView
      response: ResponseView | null
    }

export type FromChild =
  | { type: 'ready' }
  | { type: 'log'; level: LogLevel; msg: string }
  /** `body` null: the script didn't change the response's body. */
  | { type: 'done'; id: number; request: RequestView; body: string | null; variables: Pair[] }
  | { type: 'failed'; id: number; message: string }

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Null if it isn't a valid message. */
export function parseFromChild(line: string, limits: ScriptLimits): FromChild | null {
  const message = parseJson(line)
  if (!isRecord(message)) return null
  const { type, id } = message
  if (type === 'ready') return { type }
  if (type === 'log') return parseLog(message)
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return null
  if (type === 'failed')
    return typeof message.message === 'string' ? { type, id, message: message.message } : null
  if (type !== 'done') return null
  return parseDone(id, message, limits)
}

function parseDone(id: number, done: Record<string, unknown>, limits: ScriptLimits): FromChild | null {
  const request = parseRequest(done.request)
  const variables = parsePairs(done.variables)
  const { body } = done
  if (!request || !variables || (body !== null && typeof body !== 'string')) return null
  const isTooLarge = [request, variables, body].some((part) => sizeOf(part) > limits.maxPassedBytes)
  return isTooLarge ? null : { type: 'done', id, request, body, variables }
}

function parseLog({ level, msg }: Record<string, unknown>): FromChild | null {
  const known = logLevels.find((name) => name === level)
  return known && typeof msg === 'string' ? { type: 'log', level: known, msg } : null
}

function parseRequest(given: unknown): RequestView | null {
  if (!isRecord(given)) return null
  const { method, url, body, ...rest } = given
  const headers = parsePairs(rest.headers)
  const queryParameters = parsePairs(rest.queryParameters)
  if (typeof method !== 'string' || !requestMethods.includes(method)) return null
  if (typeof url !== 'string' || typeof body !== 'string' || !headers || !queryParameters) return null
  return { method, url, body, headers, queryParameters }
}

const maxPairs = 1_000

function parsePairs(given: unknown): Pair[] | null {
  if (!Array.isArray(given) || given.length > maxPairs) return null
  const pairs: Pair[] = []
  for (const pair of given) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string' || typeof pair[1] !== 'string') return null
    pairs.push([pair[0], pair[1]])
  }
  return pairs
}
