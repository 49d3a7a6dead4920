// A parsed Terraform resource as JSON of the API, by the table that wrote it.
import { type Field, isJson, type Json } from '@vedette/as-code/terraform-table'

/** What an expression such as `checkly_check.orders.id` or `var.token` stands for. */
export type Resolve = (expression: string) => unknown

export function readFields(fields: readonly Field[], body: Json, resolve: Resolve): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const field of fields) {
    if (field.field === 'constant') continue
    const written = body[field.name]
    if (written === undefined) continue
    if (field.field === 'block') {
      // Two blocks may have one name, as a script and a snippet do.
      const bodies = itemsOf(written).map((one) => readFields(field.fields, one, resolve))
      const read = field.isRepeated ? bodies : bodies[0]
      const one = field.translation ? field.translation.toApi(read) : read
      if (field.path === '') merge(json, one)
      else setPath(json, field.path, one)
    } else if (field.field === 'pairs') {
      const entries = Object.entries(isJson(written) ? written : {})
      setPath(
        json,
        field.path,
        entries.map(([key, one]) => ({ key, value: readValue(one, resolve), locked: false })),
      )
    } else if (field.field === 'value-blocks') {
      const values = itemsOf(written).map((one) => readValue(one[field.attribute], resolve))
      const { itemPath } = field
      setPath(json, field.path, itemPath ? values.map((one) => ({ [itemPath]: one, name: '' })) : values)
    } else {
      setPath(json, field.path, readValue(written, resolve))
    }
  }
  return json
}

const itemsOf = (written: unknown): Json[] => (Array.isArray(written) ? written.filter(isJson) : [])

function readValue(written: unknown, resolve: Resolve): unknown {
  if (Array.isArray(written)) return written.map((one) => readValue(one, resolve))
  if (typeof written !== 'string') return written
  const heredoc = /^\$\{trimsuffix\(<<(\w+)\n([\s\S]*)\n\1\n, "\\n"\)\}$/.exec(written)
  if (heredoc) return unescapeTemplates(heredoc[2] ?? '')
  const expression = /^\$\{([\w.-]+)\}$/.exec(written)
  return expression ? resolve(expression[1] ?? '') : unescapeTemplates(written)
}

const unescapeTemplates = (text: string) => text.replace(/([$%])\1\{/g, '$1{')

function setPath(json: Record<string, unknown>, path: string, one: unknown): void {
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    json[first] = isJson(json[first]) && isJson(one) ? { ...json[first], ...one } : one
    return
  }
  const inner: Record<string, unknown> = isJson(json[first]) ? { ...json[first] } : {}
  setPath(inner, rest.join('.'), one)
  json[first] = inner
}

function merge(json: Record<string, unknown>, one: unknown): void {
  for (const [name, inner] of Object.entries(isJson(one) ? one : {})) setPath(json, name, inner)
}
