// Headers whose values are credentials, even if they don't come from a secret, and log lines that repeat them.

const ofRequests = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key']
const requestNames = new Set(ofRequests)
const names = new Set([...ofRequests, 'set-cookie'])

export function isConfidentialRequestHeader(name: string): boolean {
  return requestNames.has(name.toLowerCase())
}

export function isConfidentialHeader(name: string): boolean {
  return names.has(name.toLowerCase())
}

/** Longest first: the first alternative that matches wins. */
const named =
  /(?:proxy-authorization|authorization|set-cookie|cookie|x-api-key)((?:\\*["'`])?\s{0,8}[:=]\s{0,8})(\\*["'`])?/gi
const maxMarkChars = 60
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colors come before the names
const onlyMarks = /(?:^|[\n\r])(?:[\s\-*+<>|•→←│]|\x1b\[[0-9;]*m)*$/

/**
 * `authorization: Bearer …` at the beginning of a line, as test runners list the headers of a request, and
 * `"authorization": "Bearer …"` anywhere, as objects are printed.
 */
export function maskHeaderLines(text: string, mask: string): string {
  named.lastIndex = 0
  let masked = ''
  let copiedTo = 0
  for (let match = named.exec(text); match !== null; match = named.exec(text)) {
    const from = named.lastIndex
    const quote = match[2]
    if (quote === undefined && !(match[1]?.trimStart().startsWith(':') && beginsLine(text, match.index)))
      continue
    const to = endOfValue(text, from, quote)
    // A value that is masked already stays: scrubbing is idempotent.
    if (to > from && text.slice(from, to) !== mask) {
      masked += text.slice(copiedTo, from) + mask
      copiedTo = to
    }
    named.lastIndex = Math.max(to, from)
  }
  return copiedTo === 0 ? text : masked + text.slice(copiedTo)
}

function beginsLine(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - maxMarkChars), at)
  return onlyMarks.test(at <= maxMarkChars ? `\n${before}` : before)
}

const lineBreak = /[\n\r]/g

function endOfValue(text: string, from: number, quote: string | undefined): number {
  lineBreak.lastIndex = from
  const lineEnd = lineBreak.exec(text)?.index ?? text.length
  if (quote === undefined) return lineEnd
  const closing = text.slice(from, lineEnd).indexOf(quote)
  return closing === -1 ? lineEnd : from + closing
}
