// Why a text isn't JSON, and at which position. V8's message has no position for most errors.

/** Larger texts are reported without a position. */
const maxScannedChars = 1_000_000

/** A clause: `unexpected end at position 27`. */
export function jsonProblem(text: string): string {
  if (text.length > maxScannedChars) return 'it has a syntax error'
  const at = errorPosition(text)
  const lines = text.slice(0, at).split('\n')
  const where = `at position ${at} (line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1})`
  if (at >= text.length) return `unexpected end ${where}`
  const [character = ''] = text.slice(at)
  return `unexpected ${character === '"' ? 'or unterminated string' : JSON.stringify(character)} ${where}`
}

const space = /[ \t\n\r]*/y
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y

/** What the parser expects. */
type Next = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd'

/** The position of the first syntax error; the length of the text if it ends too early. */
function errorPosition(text: string): number {
  const open: ('{' | '[')[] = []
  let next: Next = 'value'
  let at = 0
  const skip = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at += match[0].length
    return match !== null
  }
  while (true) {
    skip(space)
    const character = text[at]
    const isDone = next === 'commaOrEnd' && open.length === 0
    if (isDone || character === undefined) return at
    const closes = character === '}' ? '{' : character === ']' ? '[' : null
    const mayClose = next === 'commaOrEnd' || next === 'valueOrEnd' || next === 'keyOrEnd'
    if (closes !== null) {
      if (!mayClose || open.pop() !== closes) return at
      at += 1
      next = 'commaOrEnd'
    } else if (next === 'commaOrEnd') {
      if (character !== ',') return at
      at += 1
      next = open.at(-1) === '{' ? 'key' : 'value'
    } else if (next === 'colon') {
      if (character !== ':') return at
      at += 1
      next = 'value'
    } else if (next === 'key' || next === 'keyOrEnd') {
      if (!skip(string)) return endOr(text, at)
      next = 'colon'
    } else if (character === '{' || character === '[') {
      open.push(character)
      at += 1
      next = character === '{' ? 'keyOrEnd' : 'valueOrEnd'
    } else {
      if (!skip(string) && !skip(scalar)) return endOr(text, at)
      next = 'commaOrEnd'
    }
  }
}

/** The end of the text if it truncates a string or a literal there. */
function endOr(text: string, at: number): number {
  const rest = text.slice(at)
  const isCut = rest.startsWith('"')
    ? /^"(?:[ !#-[\]-\uffff]|\\.)*\\?$/.test(rest)
    : ['true', 'false', 'null'].some((word) => word.startsWith(rest)) || /^-?(?:\d+\.?)?$/.test(rest)
  return isCut ? text.length : at
}
