// Formats values for results, with a maximum length.

/** Truncates to `maxChars`; documents become JSON text. */
export function showValue(value: unknown, maxChars: number): string | number | boolean | null {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  const text = typeof value === 'string' ? value : jsonText(value, maxChars + 1)
  return truncate(text, maxChars)
}

/** JSON text that ends soon after `maxChars`, since a body of 25 MB takes long to serialize. */
export function jsonText(value: unknown, maxChars: number): string {
  const parts: string[] = []
  write(value, { parts, left: maxChars }, 0)
  return parts.join('')
}

interface Output {
  parts: string[]
  left: number
}

const maxDepth = 500

function write(value: unknown, output: Output, depth: number): void {
  if (output.left <= 0) return
  if (typeof value !== 'object' || value === null) {
    // A truncated text may lose its closing quote, since the output ends there.
    const text = typeof value === 'string' ? value.slice(0, output.left) : value
    put(output, JSON.stringify(text) ?? 'null')
    return
  }
  if (depth > maxDepth) {
    put(output, '"…"')
    return
  }
  put(output, Array.isArray(value) ? '[' : '{')
  let isFirst = true
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value)
  for (const [key, element] of entries) {
    if (output.left <= 0) return
    if (!isFirst) put(output, ',')
    isFirst = false
    if (typeof key === 'string') put(output, `${JSON.stringify(key.slice(0, output.left))}:`)
    write(element, output, depth + 1)
  }
  put(output, Array.isArray(value) ? ']' : '}')
}

function put(output: Output, text: string): void {
  output.parts.push(text)
  output.left -= text.length
}

function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`.toWellFormed()
}
