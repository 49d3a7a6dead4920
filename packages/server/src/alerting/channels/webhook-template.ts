// The body of a webhook by the user's own template: what `{{X}}` must do to a value follows from what the body is.

import { escapeMarkup } from '@vedette/safeguards/markup'
import type { AlertMessage } from '../message/message.ts'
import { type MessageVariable, messageVariables } from '../message/message-variables.ts'
import type { ChannelTools, TemplateEscaping } from './channel.ts'

export interface WebhookTemplate {
  template: string
  /** As the user has set it, or null. */
  contentType: string | null
  /** The values come to stand in HTML (Telegram refuses a message with a stray `<`). */
  isHtml: boolean
}

export async function renderWebhookTemplate(
  { template, contentType, isHtml }: WebhookTemplate,
  message: AlertMessage,
  { variables, renderTemplate }: Pick<ChannelTools, 'variables' | 'renderTemplate'>,
): Promise<{ body: string; contentType: string }> {
  const looksJson = isJsonTemplate(template)
  const type =
    contentType ?? (isHtml ? formType : looksJson ? 'application/json' : 'text/plain; charset=utf-8')
  const told = messageVariables(message)
  const values = { ...variables, ...(isHtml ? mapTexts(told, escapeMarkup) : told) }
  return { body: await renderTemplate(template, values, escapingOf(type, looksJson)), contentType: type }
}

export const formType = 'application/x-www-form-urlencoded'

function escapingOf(contentType: string, looksJson: boolean): TemplateEscaping {
  if (contentType.toLowerCase().startsWith(formType)) return 'uri'
  return looksJson || /[/+]json\b/i.test(contentType) ? 'json' : 'none'
}

/** Tags at the beginning are passed over: `{{#if …}}{"a": 1}` is JSON, `{{ALERT_TITLE}} …` is not. */
function isJsonTemplate(template: string): boolean {
  return /^[{[]/.test(template.replace(/^(\s|\{\{[^{}]*\}\}|\{\{\{[^{}]*\}\}\})+/, ''))
}

function mapTexts(
  values: Record<string, MessageVariable>,
  change: (text: string) => string,
): Record<string, MessageVariable> {
  const changed = (value: MessageVariable): MessageVariable =>
    typeof value === 'string' ? change(value) : Array.isArray(value) ? value.map(change) : value
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changed(value)]))
}
