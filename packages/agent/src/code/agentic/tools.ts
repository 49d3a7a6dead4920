// The tools a model is offered, and what it calls read back: everything it says is checked before anything is done.
import { z } from 'zod'
import { type Action, actionSchemas, mapTexts, ownWords } from './action.ts'
import type { ModelTool, ToolCall } from './model.ts'
import type { Variables } from './variables.ts'

export const Suggestion = z.object({
  summary: z.string().min(1).max(500).describe('What to change, and why'),
  prompt: z.string().max(2_000).default('').describe('The part of the prompt that it is about'),
  promptReplacement: z.string().max(2_000).default('').describe('What should stand there instead'),
  secrets: z.array(z.string().max(200)).max(20).default([]).describe('Names of variables that are missing'),
  category: z.enum(['credentials', 'endpoint', 'configuration']),
})

export type Suggestion = z.output<typeof Suggestion>

const Done = z.object({
  outcome: z
    .enum(['passed', 'failed'])
    .describe('failed: what the prompt asks for does not work on this site'),
  summary: z.string().min(1).max(2_000).describe('What was done and what was found, for people'),
})

const Read = z.object({})

const schemas = { ...actionSchemas, read: Read, suggest: Suggestion, done: Done } as const

type ToolName = keyof typeof schemas

const descriptions: Record<ToolName, string> = {
  navigate: 'Open an address. Answers with what the page shows.',
  click: 'Click an element. Answers with what the page shows then.',
  fill: 'Fill a field.',
  select: 'Choose an option of a select element.',
  check: 'Tick or untick a checkbox, or choose a radio button.',
  press: 'Press a key. Answers with what the page shows then.',
  wait_for: 'Wait until an element is visible or hidden.',
  read: 'Read what the page shows now: its URL, title and accessibility tree.',
  screenshot: 'Keep a picture of the page for people.',
  assert: 'Check that something holds. Every condition that the prompt asks for needs one that passed.',
  suggest:
    'Tell the owner of the prompt what to change: missing credentials, a wrong address, an unclear instruction.',
  done: 'End: everything the prompt asks for has been performed and asserted, or can not be.',
}

export const modelTools: readonly ModelTool[] = (Object.keys(schemas) as ToolName[]).map((name) => {
  const { $schema: _schema, ...parameters } = z.toJSONSchema(schemas[name], { io: 'input' })
  return { type: 'function', function: { name, description: descriptions[name], parameters } }
})

export type ParsedCall =
  | { kind: 'action'; action: Action }
  | { kind: 'read' }
  | { kind: 'suggest'; suggestion: Suggestion }
  | { kind: 'done'; outcome: 'passed' | 'failed'; summary: string }
  /** To be told back. */
  | { kind: 'wrong'; message: string }

export function parseToolCall(
  { function: { name, arguments: text } }: ToolCall,
  variables: Variables,
): ParsedCall {
  if (!Object.hasOwn(schemas, name)) return wrong(`there is no tool "${name}"`)
  let given: unknown
  try {
    given = withoutNulls(JSON.parse(text === '' ? '{}' : text))
  } catch {
    return wrong('the arguments are not JSON')
  }
  const read = schemas[name as ToolName].safeParse(given)
  if (!read.success) {
    return wrong(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  }
  if (name === 'read') return { kind: 'read' }
  if (name === 'suggest') return { kind: 'suggest', suggestion: read.data as Suggestion }
  if (name === 'done') return { kind: 'done', ...(read.data as z.output<typeof Done>) }
  const action = mapTexts(
    { tool: name, ...read.data } as Action,
    (value) => variables.nameSecrets(value),
    ownWords,
  )
  const problem = problemOf(action, variables)
  return problem === null ? { kind: 'action', action } : wrong(problem)
}

function problemOf(action: Action, variables: Variables): string | null {
  const missing = new Set<string>()
  mapTexts(action, (value) => {
    for (const name of variables.missingIn(value)) missing.add(name)
    return value
  })
  if (missing.size > 0) {
    const known = Object.keys(variables.values).join(', ') || 'none'
    return `there is no variable ${[...missing].join(', ')}; the prompt names: ${known}`
  }
  if (action.tool !== 'navigate') return null
  const url = variables.render(action.url)
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? null
    : 'url: not an http or https address'
}

/** Models fill what they leave out with null. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, withoutNulls(inner)]])),
  )
}

function wrong(message: string): ParsedCall {
  return { kind: 'wrong', message: message.slice(0, 1_000) }
}
