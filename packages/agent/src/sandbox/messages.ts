// Messages between the agent and a child, as JSON lines. The child is untrusted: its messages are validated field by field.
import { z } from 'zod'
import { parseJson } from '../core/parse-json.ts'
import { isTooLarge, requestMethods } from './child/passed-values.ts'

export type ScriptPhase = 'setup' | 'teardown'
export type LogLevel = z.output<typeof LogLevel>
export type Pair = z.output<typeof Pair>

const LogLevel = z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])
const Pair = z.tuple([z.string(), z.string()])
const Pairs = z.array(Pair).max(1_000)

/** The request as scripts see it; names may repeat. */
const RequestView = z.object({
  method: z.string().refine((method) => requestMethods.includes(method)),
  url: z.string(),
  body: z.string(),
  headers: Pairs,
  queryParameters: Pairs,
})

export type RequestView = z.output<typeof RequestView>

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

export interface Snippet {
  name: string
  script: string
}

export type ToChild =
  | {
      type: 'begin'
      variables: Pair[]
      snippets: readonly Snippet[]
      region: string
      modules: string | null
    }
  | {
      type: 'run'
      id: number
      phase: ScriptPhase
      script: string
      imports?: ScriptImports | null
      request: RequestView
      response: ResponseView | null
    }

const FromChild = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('log'), level: LogLevel, msg: z.string() }),
  z.object({
    type: z.literal('done'),
    id: z.int(),
    request: RequestView,
    /** Null: the script didn't change the response's body. */
    body: z.string().nullable(),
    variables: Pairs,
  }),
  z.object({ type: z.literal('failed'), id: z.int(), message: z.string() }),
])

export type FromChild = z.output<typeof FromChild>

/** Null if it isn't a valid message. */
export function parseFromChild(line: string): FromChild | null {
  const { data: message } = FromChild.safeParse(parseJson(line))
  if (message?.type !== 'done') return message ?? null
  const parts = [message.request, message.variables, message.body]
  return parts.some(isTooLarge) ? null : message
}
