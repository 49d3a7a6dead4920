// Terraform's language: attributes, blocks and comments as text.
import { Expression } from '../source.ts'

export type HclValue = string | number | boolean | Expression | readonly HclValue[] | HclMap

/** `{ key = value }`. */
interface HclMap {
  readonly entries: readonly (readonly [string, HclValue])[]
}

export type HclItem =
  | { readonly item: 'attribute'; readonly name: string; readonly value: HclValue }
  | HclBlock
  | { readonly item: 'comment'; readonly text: string }

export interface HclBlock {
  readonly item: 'block'
  readonly name: string
  readonly labels: readonly string[]
  readonly body: readonly HclItem[]
}

export const attribute = (name: string, value: HclValue): HclItem => ({ item: 'attribute', name, value })

export const block = (name: string, labels: readonly string[], body: readonly HclItem[]): HclBlock => ({
  item: 'block',
  name,
  labels,
  body,
})

/** With an empty line between blocks. */
export function writeHcl(items: readonly HclItem[]): string {
  return `${writeBody(items, '').join('\n')}\n`
}

function writeBody(items: readonly HclItem[], indent: string): string[] {
  const lines: string[] = []
  let last: HclItem['item'] | undefined
  for (const [index, one] of items.entries()) {
    const isApart = one.item === 'block' || last === 'block'
    if (isApart && lines.length > 0 && last !== 'comment') lines.push('')
    if (one.item === 'attribute') {
      lines.push(`${indent}${one.name.padEnd(nameWidth(items, index))} = ${writeValue(one.value, indent)}`)
    } else if (one.item === 'comment') {
      lines.push(...one.text.split('\n').map((line) => `${indent}# ${line}`.trimEnd()))
    } else {
      lines.push(...writeBlock(one, indent))
    }
    last = one.item
  }
  return lines
}

function writeBlock({ name, labels, body }: HclBlock, indent: string): string[] {
  const head = [name, ...labels.map(quoteHcl)].join(' ')
  if (body.length === 0) return [`${indent}${head} {}`]
  return [`${indent}${head} {`, ...writeBody(body, `${indent}  `), `${indent}}`]
}

/** `terraform fmt` aligns the equals signs of adjacent attributes. */
function nameWidth(items: readonly HclItem[], index: number): number {
  let start = index
  while (items[start - 1]?.item === 'attribute') start -= 1
  let end = index
  while (items[end + 1]?.item === 'attribute') end += 1
  return Math.max(
    ...items.slice(start, end + 1).map((one) => (one.item === 'attribute' ? one.name.length : 0)),
  )
}

function writeValue(value: HclValue, indent: string): string {
  if (value instanceof Expression) return value.text
  if (typeof value === 'string') return writeText(value)
  if (typeof value !== 'object') return String(value)
  return isList(value) ? writeList(value, indent) : writeMap(value, indent)
}

const isList = (value: readonly HclValue[] | HclMap): value is readonly HclValue[] => Array.isArray(value)

function writeList(list: readonly HclValue[], indent: string): string {
  const line = `[${list.map((one) => writeValue(one, indent)).join(', ')}]`
  if (line.length + indent.length <= 80 && !line.includes('\n')) return line
  return `[\n${list.map((one) => `${indent}  ${writeValue(one, `${indent}  `)},\n`).join('')}${indent}]`
}

function writeMap({ entries }: HclMap, indent: string): string {
  if (entries.length === 0) return '{}'
  const inner = `${indent}  `
  const keys = entries.map(([key]) => (/^[A-Za-z_]\w*$/.test(key) ? key : quoteHcl(key)))
  const width = Math.max(...keys.map((key) => key.length))
  const lines = entries.map(
    ([, value], index) => `${inner}${(keys[index] ?? '').padEnd(width)} = ${writeValue(value, inner)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

/** Several lines become a heredoc, which keeps backslashes and quotes as they are. */
function writeText(text: string): string {
  return text.includes('\n') && !hasControls(text) ? heredoc(text) : quoteHcl(text)
}

function heredoc(text: string): string {
  const isEnded = text.endsWith('\n')
  const body = escapeTemplates(isEnded ? text : `${text}\n`)
  const lines = new Set(body.split('\n').map((line) => line.trim()))
  let end = 'EOT'
  for (let number = 2; lines.has(end); number += 1) end = `EOT${number}`
  // A heredoc always ends with a line break.
  return isEnded ? `<<${end}\n${body}${end}` : `trimsuffix(<<${end}\n${body}${end}\n, "\\n")`
}

/** Neither a carriage return nor another control character survives in a heredoc. */
function hasControls(text: string): boolean {
  return [...text].some((char) => char !== '\n' && char !== '\t' && char < ' ')
}

function quoteHcl(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be escaped
  return `"${escapeTemplates(text.replace(/["\\\u0000-\u001f]/g, escapeChar))}"`
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escapeChar(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`
  return escapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** `${` and `%{` begin templates. */
const escapeTemplates = (text: string) => text.replace(/([$%])\{/g, '$1$1{')
