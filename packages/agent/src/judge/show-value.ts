// Values of the target as people see them in a result: never more than asked for, however large the value is.

/** A short value as it is, a long one cut to `maxChars`; documents as JSON text. */
export function showValue(value: unknown, maxChars: number): string | number | boolean | null {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  const text = typeof value === 'string' ? value : jsonText(value, maxChars + 1)
  return cut(text, maxChars)
}

/** JSON text, given up soon after `maxChars`: a body of 25 MB need not be written out to show its beginning. */
export function jsonText(value: unknown, maxChars: number): string {
  const parts: string[] = []
  write(value, { parts, left: maxChars }, 0)
  return parts.join('')
}

interface Pen {
  parts: string[]
  left: number
}

const maxDepth = 500

function write(value: unknown, pen: Pen, depth: number): void {
  if (pen.left <= 0) return
  if (typeof value !== 'object' || value === null) {
    // A cut text loses its closing quote, as the whole is cut there anyway.
    const text = typeof value === 'string' ? value.slice(0, pen.left) : value
    put(pen, JSON.stringify(text) ?? 'null')
    return
  }
  if (depth > maxDepth) {
    put(pen, '"…"')
    return
  }
  put(pen, Array.isArray(value) ? '[' : '{')
  let isFirst = true
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    if (pen.left <= 0) return
    if (!isFirst) put(pen, ',')
    isFirst = false
    if (typeof key === 'string') put(pen, `${JSON.stringify(key.slice(0, pen.left))}:`)
    write((value as Record<string | number, unknown>)[key], pen, depth + 1)
  }
  put(pen, Array.isArray(value) ? ']' : '}')
}

function put(pen: Pen, text: string): void {
  pen.parts.push(text)
  pen.left -= text.length
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`.toWellFormed()
}
