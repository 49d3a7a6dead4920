// Renders a webhook body from the user's template. The type of the body determines how `{{X}}` escapes values.
import { escapeMarkup } from '@vedette/safeguards/markup'
import type { AlertMessage } from '../message/message.ts'
import { type MessageVariable, messageVariables } from '../message/message-variables.ts'
import type { ChannelTools, TemplateEscaping } from './channel.ts'

export interface WebhookTemplate {
  template: string
  /** The user's Content-Type header, or null. */
  contentType: string | null
  /** Values are inserted into HTML (Telegram refuses a message with a stray `<`). */
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
  const facts = messageVariables(message)
  const values = { ...variables, ...(isHtml ? mapTexts(facts, escapeMarkup) : facts) }
  return { body: await renderTemplate(template, values, escapingOf(type, looksJson)), contentType: type }
}

export const formType = 'application/x-www-form-urlencoded'

function escapingOf(contentType: string, looksJson: boolean): TemplateEscaping {
  if (contentType.toLowerCase().startsWith(formType)) return 'uri'
  return looksJson || /[/+]json\b/i.test(contentType) ? 'json' : 'none'
}

/** Ignores leading tags: `{{#if …}}{"a": 1}` is JSON, `{{ALERT_TITLE}} …` isn't. */
function isJsonTemplate(template: string): boolean {
  return /^[{[]/.test(template.replace(/^(\s|\{\{[^{}]*\}\}|\{\{\{[^{}]*\}\}\})+/, ''))
}

function mapTexts(
  values: Record<string, MessageVariable>,
  change: (text: string) => string,
): Record<string, MessageVariable> {
  const changeValue = (value: MessageVariable): MessageVariable =>
    typeof value === 'string' ? change(value) : Array.isArray(value) ? value.map(change) : value
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changeValue(value)]))
}
