// What the agent and a child say to each other, one JSON text per line. The child is hostile: whatever it says is read
// here, field by field, and what does not fit is nothing.

import { requestMethods } from './child/request-methods.ts'
import { sizeOf } from './child/size-of.ts'
import type { ScriptLimits } from './limits.ts'

export type ScriptPhase = 'setup' | 'teardown'
export type LogLevel = (typeof logLevels)[number]
export type Pair = [name: string, value: string]

const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const

/** The request as a script may change it; names that come twice stay twice. */
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
      request: RequestView
      response: ResponseView | null
    }
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'refusal'; id: number; message: string; code: string }

export type FromChild =
  | { type: 'ready' }
  | { type: 'log'; level: LogLevel; msg: string }
  | { type: 'open'; id: number; host: string; port: number; family: number }
  | { type: 'resolve'; id: number; host: string; family: number }
  /** `body` null: the script left the response's body alone. */
  | { type: 'done'; id: number; request: RequestView; body: string | null; variables: Pair[] }
  | { type: 'failed'; id: number; message: string }

/** Null for whatever is not one of ours. */
export function parseFromChild(line: string, limits: ScriptLimits): FromChild | null {
  let given: unknown
  try {
    given = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof given !== 'object' || given === null) return null
  const said = given as Record<string, unknown>
  const { type, id } = said
  if (type === 'ready') return { type }
  if (type === 'log') return parseLog(said)
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return null
  if (type === 'failed') return typeof said.message === 'string' ? { type, id, message: said.message } : null
  if (type === 'open' || type === 'resolve') return parseTarget(type, id, said)
  if (type !== 'done') return null
  return parseDone(id, said, limits)
}

function parseDone(id: number, said: Record<string, unknown>, limits: ScriptLimits): FromChild | null {
  const request = parseRequest(said.request)
  const variables = parsePairs(said.variables)
  const { body } = said
  if (!request || !variables || (body !== null && typeof body !== 'string')) return null
  const isTooMuch = [request, variables, body].some((part) => sizeOf(part) > limits.maxPassedBytes)
  return isTooMuch ? null : { type: 'done', id, request, body, variables }
}

function parseLog({ level, msg }: Record<string, unknown>): FromChild | null {
  const known = logLevels.find((name) => name === level)
  return known && typeof msg === 'string' ? { type: 'log', level: known, msg } : null
}

function parseTarget(
  type: 'open' | 'resolve',
  id: number,
  { host, port, family }: Record<string, unknown>,
): FromChild | null {
  if (typeof host !== 'string' || host.length === 0 || host.length > 255) return null
  if (family !== 0 && family !== 4 && family !== 6) return null
  if (type === 'resolve') return { type, id, host, family }
  const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536
  return isPort ? { type, id, host, port, family } : null
}

function parseRequest(given: unknown): RequestView | null {
  if (typeof given !== 'object' || given === null) return null
  const { method, url, body, ...rest } = given as Record<string, unknown>
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
