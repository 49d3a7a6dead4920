// Lists of names or sentences in a response header: separated by commas, percent-encoded where needed.

const maxBytes = 1024
const cutMarker = '...'

/** At most 1 kB; a truncated list ends with "...". Null for an empty list. */
export function listHeader(entries: readonly string[]): string | null {
  if (entries.length === 0) return null
  let text = ''
  for (const entry of entries) {
    const next = text === '' ? entry : `${text}, ${entry}`
    const isLast = entry === entries.at(-1)
    if (next.length > maxBytes - (isLast ? 0 : cutMarker.length + 2)) {
      if (text !== '') return `${text}, ${cutMarker}`
      return `${entry.slice(0, maxBytes - cutMarker.length).replace(/%.?$/, '')}${cutMarker}`
    }
    text = next
  }
  return text
}

/** `body.request.assertions[0].targt`; dots, commas and brackets inside a name are encoded. */
export function encodePath(source: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, part) => text + (typeof part === 'number' ? `[${part}]` : `.${encode(part, /[^A-Za-z0-9_$-]/gu)}`),
    source,
  )
}

/** Sentences stay readable: only characters that would break the list or the header are encoded. */
export function encodeSentence(sentence: string): string {
  return encode(sentence, /[^ -~]|[%,]/gu)
}

function encode(text: string, unsafe: RegExp): string {
  return text.slice(0, 300).toWellFormed().replace(unsafe, encodeCharacter)
}

/** encodeURIComponent leaves ASCII punctuation such as dots alone. */
function encodeCharacter(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
}
