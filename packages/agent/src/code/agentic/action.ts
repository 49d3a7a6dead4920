// The actions of a model in the browser, as data: each becomes one line of a Playwright script. Elements are identified as people
// see them (role and name, label, text, …), never by a selector that breaks with the next release.
import { z } from 'zod'

const element = {
  by: z
    .enum(['role', 'label', 'text', 'placeholder', 'testId', 'altText', 'title'])
    .describe('How the element is found; prefer role, then label'),
  value: z
    .string()
    .min(1)
    .max(500)
    .describe('The role (button, link, textbox, …), or the text to find it by'),
  name: z.string().max(500).optional().describe('With role: its accessible name'),
  exact: z.boolean().optional().describe('The whole text, in this very case'),
  hasText: z.string().max(500).optional().describe('Only elements that have this text in them'),
  nth: z.int().min(0).max(999).optional().describe('Which of several, counted from 0'),
}

const Element = z.object(element)

export const Target = z.object({ ...element, within: Element.optional().describe('What it is a part of') })

export type Target = z.output<typeof Target>

const intent = z
  .string()
  .min(1)
  .max(200)
  .describe('What this is for, in a few words; the same words for actions that belong together')
const text = z.string().max(2_000)

const ofPage = [
  'text_visible',
  'text_hidden',
  'url_contains',
  'url_is',
  'title_contains',
  'title_is',
] as const
const states = ['visible', 'hidden', 'enabled', 'disabled', 'checked', 'unchecked'] as const
const assertKinds = [...ofPage, ...states, 'value_is', 'contains_text', 'count_is'] as const
const isOneOf = (kinds: readonly string[], kind: string) => kinds.includes(kind)

export const actionSchemas = {
  navigate: z.object({
    intent,
    url: z.string().min(1).max(4_000).describe('Whole, with http:// or https://'),
  }),
  click: z.object({ intent, target: Target }),
  fill: z.object({ intent, target: Target, value: text.describe('Replaces the content of the field') }),
  select: z.object({ intent, target: Target, option: text.describe('The label or the value of the option') }),
  check: z.object({ intent, target: Target, checked: z.boolean() }),
  press: z.object({
    intent,
    key: z.string().min(1).max(50).describe('Enter, Tab, Escape, ArrowDown, Control+A, …'),
    target: Target.optional().describe('Absent: the focused element'),
  }),
  wait_for: z.object({ intent, target: Target, state: z.enum(['visible', 'hidden']) }),
  screenshot: z.object({ intent, description: z.string().min(1).max(200).describe('What it shows') }),
  assert: z
    .object({
      condition: z.string().min(1).max(300).describe('What must hold, in words of the prompt'),
      kind: z.enum(assertKinds),
      target: Target.optional().describe('The element; not for page text, URL and title'),
      expected: text.optional().describe('The text, value or number; not for states such as visible'),
    })
    .refine(({ kind, target }) => isOneOf(ofPage, kind) || target !== undefined, {
      path: ['target'],
      message: 'is needed for this kind',
    })
    .refine(({ kind, expected }) => isOneOf(states, kind) || (expected ?? '') !== '', {
      path: ['expected'],
      message: 'is needed for this kind',
    })
    .refine(({ kind, expected }) => kind !== 'count_is' || /^\d{1,4}$/.test(expected ?? ''), {
      path: ['expected'],
      message: 'must be a whole number',
    }),
} as const

type Tool = keyof typeof actionSchemas

export type Action = { [T in Tool]: { tool: T } & z.output<(typeof actionSchemas)[T]> }[Tool]

export type Assertion = Extract<Action, { tool: 'assert' }>

/** Fields with our own keywords. */
export const keywordFields: ReadonlySet<string> = new Set(['tool', 'by', 'kind', 'state', 'key'])

/** Fields without templates: descriptions, and our own keywords. */
const notTemplates: ReadonlySet<string> = keywordFields.union(new Set(['intent', 'condition', 'description']))

/** A copy with every string changed by `change`, except in the skipped fields. */
export function mapTexts<T>(value: T, change: (text: string) => string, skipped = notTemplates): T {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    if (skipped.has(name)) return [name, inner]
    return [name, typeof inner === 'string' ? change(inner) : mapTexts(inner, change, skipped)]
  })
  return Object.fromEntries(entries) as T
}
