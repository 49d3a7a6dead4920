// The request header Prefer (RFC 7240).

/** Whether the client prefers that unknown fields and parameters are refused. */
export function prefersStrict(header: string | string[] | undefined): boolean {
  return preferenceOf('handling', header) === 'strict'
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const value = `(?:\\s*=\\s*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?`
const preference = new RegExp(`\\s*(${token})${value}((?:\\s*;(?:\\s*${token}${value})?)*)\\s*(,|$)`, 'y')

/** The value of the first preference of that name; RFC 7240 ignores later ones. */
function preferenceOf(name: string, header: string | string[] | undefined): string | undefined {
  const text = (Array.isArray(header) ? header.join(',') : (header ?? '')).slice(0, 4096)
  preference.lastIndex = 0
  while (preference.lastIndex < text.length) {
    const start = preference.lastIndex
    const match = preference.exec(text)
    if (match === null) {
      // Skip an element that isn't a preference, such as an empty one.
      const comma = text.indexOf(',', start)
      if (comma === -1) return undefined
      preference.lastIndex = comma + 1
      continue
    }
    const [, key = '', plain, quoted] = match
    if (key.toLowerCase() === name) return plain ?? quoted?.replace(/\\(.)/g, '$1')
  }
  return undefined
}
