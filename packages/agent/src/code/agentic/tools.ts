// The tools of the model, and the validation of its calls.
import { z } from 'zod'
import { type Action, actionSchemas, keywordFields, mapTexts } from './action.ts'
import type { ModelTool, ToolCall } from './model.ts'
import type { Variables } from './variables.ts'

export const Suggestion = z.object({
  summary: z.string().min(1).max(500).describe('What to change, and why'),
  prompt: z.string().max(2_000).default('').describe('The part of the prompt that it is about'),
  promptReplacement: z.string().max(2_000).default('').describe('The replacement for that part'),
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

const schemas = { ...actionSchemas, read: z.object({}), suggest: Suggestion, done: Done } as const

const descriptions: Readonly<Record<string, string>> = {
  navigate: 'Open a URL. Returns the content of the page.',
  click: 'Click an element. Returns the content of the page afterwards.',
  fill: 'Fill a field.',
  select: 'Choose an option of a select element.',
  check: 'Tick or untick a checkbox, or choose a radio button.',
  press: 'Press a key. Returns the content of the page afterwards.',
  wait_for: 'Wait until an element is visible or hidden.',
  read: 'Read the current page: its URL, title and accessibility tree.',
  screenshot: 'Keep a screenshot of the page for people.',
  assert: 'Check that something holds. Every condition that the prompt asks for needs one that passed.',
  suggest:
    'Suggest a change to the owner of the prompt: missing credentials, a wrong address, an unclear instruction.',
  done: 'End: everything the prompt asks for has been performed and asserted, or cannot be.',
} satisfies Record<keyof typeof schemas, string>

export const modelTools: readonly ModelTool[] = Object.entries(schemas).map(([name, schema]) => {
  const { $schema: _schema, ...parameters } = z.toJSONSchema(schema, { io: 'input' })
  return { type: 'function', function: { name, description: descriptions[name] ?? '', parameters } }
})

export type ParsedCall =
  | Action
  | { tool: 'read' }
  | ({ tool: 'suggest' } & Suggestion)
  | ({ tool: 'done' } & z.output<typeof Done>)
  /** The message is returned to the model. */
  | { tool: 'wrong'; message: string }

export function parseToolCall(
  { function: { name, arguments: text } }: ToolCall,
  variables: Variables,
): ParsedCall {
  let given: unknown
  try {
    // Models use null for absent fields.
    given = JSON.parse(text === '' ? '{}' : text, (_name, value) => value ?? undefined) ?? {}
  } catch {
    return wrong("the arguments aren't JSON")
  }
  if (!isTool(name)) return wrong(`there is no tool "${name}"`)
  const { data, error } = schemas[name].safeParse(given)
  if (error) return wrong(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  // The compiler doesn't see that the schema belongs to the name.
  const call = { tool: name, ...data } as Exclude<ParsedCall, { tool: 'wrong' }>
  if (call.tool === 'read' || call.tool === 'suggest' || call.tool === 'done') return call
  const action = mapTexts(call, (value) => variables.nameSecrets(value), keywordFields)
  const problem = problemOf(action, variables)
  return problem === null ? action : wrong(problem)
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

function isTool(name: string): name is keyof typeof schemas {
  return Object.hasOwn(schemas, name)
}

function wrong(message: string): ParsedCall {
  return { tool: 'wrong', message: message.slice(0, 1_000) }
}
