// Removes secrets from everything that is stored or sent. Agents have scrubbed the results, but not names, messages and the context
// of a request.

const mask = '*********'
const shortest = 4

export function scrubTexts<T>(value: T, secrets: readonly string[]): T {
  const forms = new Set(
    secrets
      .filter((secret) => secret.length >= shortest)
      .flatMap((secret) => [
        secret,
        encodeURIComponent(secret.toWellFormed()),
        JSON.stringify(secret).slice(1, -1),
      ]),
  )
  // Longest first: one secret may start with another.
  const ordered = [...forms].sort((a, b) => b.length - a.length)
  return mapTexts(value, (text) => ordered.reduce((left, form) => left.replaceAll(form, mask), text))
}

/** Removes characters that PostgreSQL's JSON can't store. */
export function storableTexts<T>(value: T): T {
  return mapTexts(value, (text) => text.replaceAll('\0', '').toWellFormed())
}

/** Texts stay texts, so the type doesn't change. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  return mapValue(value, change) as T
}

function mapValue(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapValue(item, change))
  if (typeof value !== 'object' || value === null || value instanceof Map) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapValue(item, change)]))
}
