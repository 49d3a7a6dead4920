// The values of secrets out of everything that is stored or sent. Agents took them out of what runs left; names, messages
// and what people gave as context have not been through an agent.

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
  // The longest first: one secret may begin with another.
  const ordered = [...forms].sort((a, b) => b.length - a.length)
  return walk(value, (text) => ordered.reduce((left, form) => left.replaceAll(form, mask), text)) as T
}

/** What PostgreSQL's JSON can hold. */
export function storableTexts<T>(value: T): T {
  return walk(value, (text) => text.replaceAll('\0', '').toWellFormed()) as T
}

function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => walk(item, change))
  if (typeof value !== 'object' || value === null || value instanceof Map) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, change)]))
}
