// Templates of alert channels. Their values come from checks and accounts, and the result is sent to other services.
import { randomUUID } from 'node:crypto'
import { escapeMarkup } from '../markup.ts'
import type { TemplateClock } from './functions.ts'
import { defaultTemplateLimits, interpret, type TemplateLimits } from './interpret.ts'
import { TemplateError } from './template-error.ts'
import type { Value } from './value.ts'

/** Applied by `{{X}}`, but not by `{{{X}}}`. */
export type AlertEscaping = 'json' | 'uri' | 'html' | 'none'

export interface AlertTemplateOptions {
  limits?: TemplateLimits
  clock?: Partial<TemplateClock>
}

export type RenderedAlert = { ok: true; text: string } | { ok: false; error: string }

/** `values` are JSON: texts, numbers, booleans, lists and records of these. */
export function renderAlertTemplate(
  template: string,
  values: Readonly<Record<string, unknown>>,
  escaping: AlertEscaping,
  { limits = defaultTemplateLimits, clock }: AlertTemplateOptions = {},
): RenderedAlert {
  if (!template.includes('{{')) return { ok: true, text: template }
  const scope = {
    variables: new Map(Object.entries(values as Record<string, Value>)),
    clock: { now: new Date(), random: Math.random, uuid: randomUUID, ...clock },
    encode: encoders[escaping],
  }
  try {
    return { ok: true, text: interpret(template, scope, limits) }
  } catch (error) {
    if (error instanceof TemplateError) return { ok: false, error: located(error) }
    if (error instanceof RangeError) return { ok: false, error: 'the template or its values nest too deeply' }
    throw error
  }
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
