// HTML for mails and pages. Interpolated values are escaped, unless they are `Html` themselves.
import { escapeMarkup } from '@vedette/safeguards/markup'

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type HtmlValue = string | number | Html | readonly HtmlValue[] | null

/** Attributes with interpolated values must be quoted. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += toMarkup(value) + strings[index + 1]
  return new Html(text)
}

function toMarkup(value: HtmlValue): string {
  if (value === null) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string') return escapeMarkup(value)
  if (typeof value === 'number') return String(value)
  return value.map(toMarkup).join('')
}
