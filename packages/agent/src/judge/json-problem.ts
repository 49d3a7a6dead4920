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

/** White space, and a bracket, comma or colon, or a string, or another scalar. */
const token =
  /([ \t\n\r]*)(?:([{}[\],:])|("(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))?/y

/** The tokens that the parser accepts, by what it expects: `"` is a string, `0` another scalar. */
const accepted = {
  value: '"0{[',
  valueOrEnd: '"0{[]',
  key: '"',
  keyOrEnd: '"}',
  colon: ':',
  commaOrEnd: ',}]',
}

/** The position of the first syntax error; the length of the text if it ends too early. */
function errorPosition(text: string): number {
  const open: string[] = []
  let next: keyof typeof accepted = 'value'
  for (let at = 0; ; ) {
    token.lastIndex = at
    const [match = '', space = '', symbol, string, scalar] = token.exec(text) ?? []
    at += space.length
    if (at === text.length || (next === 'commaOrEnd' && open.length === 0)) return at
    const kind = symbol ?? (string === undefined ? (scalar === undefined ? ' ' : '0') : '"')
    if (!accepted[next].includes(kind)) return accepted[next].includes('"') ? endOr(text, at) : at
    if (kind === '{' || kind === '[') {
      open.push(kind)
      next = kind === '{' ? 'keyOrEnd' : 'valueOrEnd'
    } else if (kind === '}' || kind === ']') {
      if (open.pop() !== (kind === '}' ? '{' : '[')) return at
      next = 'commaOrEnd'
    } else if (kind === ',') next = open.at(-1) === '{' ? 'key' : 'value'
    else if (kind === ':') next = 'value'
    else next = next.startsWith('key') ? 'colon' : 'commaOrEnd'
    at += match.length - space.length
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
