// Reads the failure of a Playwright `expect` out of its message, in the wordings of versions 1.28 to 1.65. Auto-retrying matchers
// poll until their timeout, so the message mentions a timeout although the page responded at once.

export interface Expectation {
  /** What was asserted on: a locator, "the page" or "the value". */
  subject: string
  /** `to have text`, `not to be visible`. */
  matcher: string
  expected: string | null
  received: string | null
  /** The locator matched no element until the matcher gave up. */
  isMissing: boolean
  timeoutMs: number | null
}

const header =
  /(?:^|\n|: |\. )(?:Error: )?(?:Timed out \d{1,9}ms waiting for )?expect(?:\.\w{1,20})?\(([^()\n]{0,80})\)\.((?:not|resolves|rejects)\.)?(to[A-Z]\w{1,60})\(/

/** Longer than any message that an agent reports; bounds the time of the patterns. */
const longestMessage = 16_384

/** Null: the message isn't the failure of a matcher, or the whole test ran out of time first. */
export function expectationOf(message: string): Expectation | null {
  const text = message.slice(0, longestMessage)
  const match = header.exec(text)
  if (!match || /^(?:Error: )?Test timeout of /.test(text)) return null
  const [body = '', log = ''] = splitOnce(text.slice(match.index), /\n\s*Call [lL]og:/)
  const words = (match[3] ?? '').replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/\b[A-Z][a-z]+/g, lower)
  const isNegated = match[2] === 'not.'
  return {
    subject: subjectOf(match[1] ?? '', body, log),
    matcher: `${isNegated ? 'not ' : ''}${words}`,
    ...valuesOf(body, isNegated),
    isMissing: isMissing(body, log),
    timeoutMs: timeoutOf(text),
  }
}

const lower = (word: string) => word.toLowerCase()

function splitOnce(text: string, separator: RegExp): [string, string] {
  const at = separator.exec(text)
  return at ? [text.slice(0, at.index), text.slice(at.index + at[0].length)] : [text, '']
}

function subjectOf(argument: string, body: string, log: string): string {
  const locator =
    /^ *Locator: +(\S.*)$/m.exec(body)?.[1] ??
    /waiting for (?:selector )?((?:locator|getBy\w+|frameLocator|")[^\n]*)/.exec(log)?.[1]
  if (locator !== undefined) return locator.trim()
  return argument === 'page' ? 'the page' : argument === 'response' ? 'the response' : 'the value'
}

const label = '(?: (?:string|substring|pattern|value|array|object|path|length))?'

function valuesOf(body: string, isNegated: boolean): Pick<Expectation, 'expected' | 'received'> {
  const expected = new RegExp(`^ *Expected${label}: *(\\S.*)$`, 'm').exec(body)?.[1]?.trim() ?? null
  const received = new RegExp(`^ *Received${label}: *(\\S.*)$`, 'm').exec(body)?.[1]?.trim() ?? null
  const own = { expected: isNegated ? (expected?.replace(/^not /, '') ?? null) : expected, received }
  if (own.expected !== null || own.received !== null) return own
  // Multi-line values are shown as a diff.
  const [, diff = ''] = splitOnce(body, /\n *\+ +Received[^\n]*/)
  return { expected: diffLines(diff, '-'), received: diffLines(diff, '+') }
}

function diffLines(diff: string, sign: '-' | '+'): string | null {
  const lines = diff.split('\n').flatMap((line) => {
    const text = line.trimStart()
    return text.startsWith(`${sign} `) ? [text.slice(2).trim()] : []
  })
  return lines.length === 0 ? null : lines.join(' ')
}

function isMissing(body: string, log: string): boolean {
  if (/element\(s\) not found/.test(body) || /element\(s\) not found/.test(log)) return true
  // Before 1.33 only the log shows that the locator was never resolved.
  return /waiting for /.test(log) && !/resolved to|unexpected value/.test(log)
}

function timeoutOf(text: string): number | null {
  const match = /^Timed out (\d+)ms|Timeout: +(\d+)ms|with timeout (\d+)ms|Timeout (\d+)ms/m.exec(text)
  const value = match?.slice(1).find((part) => part !== undefined)
  return value === undefined ? null : Number(value)
}
