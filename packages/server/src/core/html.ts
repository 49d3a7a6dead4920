// HTML for mails and pages. What is put into it is text, and escaped, unless it was made here itself.
import { escapeMarkup } from '@vedette/safeguards/markup'

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type HtmlValue = string | number | Html | readonly HtmlValue[] | null

/** Attributes that hold values stand in quotes. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += written(value) + strings[index + 1]
  return new Html(text)
}

function written(value: HtmlValue): string {
  if (value === null) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return escapeMarkup(value)
  if (typeof value === 'number') return String(value)
  return value.map(written).join('')
}
