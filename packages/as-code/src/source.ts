// Values as TypeScript source.

/** A value that isn't shown: the name of the environment variable that holds it. */
export class Reference {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Source as it is: `new Date('2026-11-20')`. */
export class Expression {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export function toSource(value: unknown, indent = ''): string {
  if (value instanceof Reference) return `process.env.${value.name} ?? ''`
  if (value instanceof Expression) return value.text
  if (typeof value === 'string') return value.includes('\n') ? templateOf(value) : quote(value)
  if (Array.isArray(value))
    return listOf(
      '[',
      ']',
      value.map((item) => toSource(item, `${indent}  `)),
      indent,
    )
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(
    ([name, one]) => `${keyOf(name)}: ${toSource(one, `${indent}  `)}`,
  )
  return entries.length === 0 ? '{}' : listOf('{', '}', entries, indent)
}

/** On one line if it is short and not the outermost. */
function listOf(open: string, close: string, items: string[], indent: string): string {
  const padding = open === '{' ? ' ' : ''
  const line = `${open}${padding}${items.join(', ')}${padding}${close}`
  if (line.length + indent.length <= 80 && !line.includes('\n') && indent !== '') return line
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close}`
}

const keyOf = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))

function quote(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function templateOf(text: string): string {
  return `\`${text.replace(/[`\\]|\$\{/g, '\\$&')}\``
}
