// Limits the cost of JSON.parse before it is called: 16 MB of nested brackets, empty arrays or short keys compress to a few kB
// and would block the process for seconds.

/** Levels of arrays and objects. */
export const maxDepth = 64

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
/** `[` and `{` differ in this bit only, and so do `]` and `}`. */
const braceBit = 0x20
const opening = 0x7b
const closing = 0x7d

/** Describes the limit that is exceeded. One pass, about 1 ns per byte; the content of strings doesn't count. */
export function findExcess(json: Uint8Array, maxValues: number): string | null {
  const { length } = json
  let depth = 0
  let values = 1
  let index = 0
  while (index < length) {
    const byte = json[index++] ?? 0
    if (byte === quote) {
      let inside = 0
      while (index < length && inside !== quote) {
        inside = json[index++] ?? quote
        if (inside === backslash) index++
      }
    } else if (byte === comma) {
      values++
    } else if ((byte | braceBit) === opening) {
      values++
      if (++depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`
    } else if ((byte | braceBit) === closing) {
      depth--
    }
    if (values > maxValues) return `must not hold more than ${maxValues.toLocaleString('en')} values`
  }
  return null
}
