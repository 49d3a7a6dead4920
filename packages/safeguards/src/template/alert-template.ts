// Templates of alert channels. Their values come from checks and accounts, and the result is sent to other services.
import { escapeMarkup } from '../markup.ts'
import { type TemplateClock, templateClock } from './functions.ts'
import { interpret, type RenderedText } from './interpret.ts'
import type { TemplateError } from './template-error.ts'
import type { Value } from './value.ts'

/** Applied by `{{X}}`, but not by `{{{X}}}`. */
export type AlertEscaping = 'json' | 'uri' | 'html' | 'none'

export type RenderedAlert = RenderedText

/** `values` are JSON: texts, numbers, booleans, lists and records of these. */
export function renderAlertTemplate(
  template: string,
  values: Readonly<Record<string, unknown>>,
  escaping: AlertEscaping,
  clock?: Partial<TemplateClock>,
): RenderedAlert {
  const variables = new Map(Object.entries(values as Record<string, Value>))
  const scope = { variables, clock: templateClock(clock), encode: encoders[escaping] }
  return interpret(template, scope, located)
}

function located({ message, position }: TemplateError): string {
  return position ? `line ${position.line}, column ${position.column}: ${message}` : message
}

const encoders = {
  json: (text) => JSON.stringify(text).slice(1, -1),
  uri: (text) => encodeURIComponent(text.toWellFormed()),
  html: escapeMarkup,
  none: (text) => text,
} satisfies Record<AlertEscaping, (text: string) => string>
