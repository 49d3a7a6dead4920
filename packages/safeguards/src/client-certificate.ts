// Chooses the client certificate for a host.

export interface ClientCertificate {
  /** Absent: from a server of an earlier release. */
  id?: string
  /** A host name, or a pattern: `*` any characters, `?` one, `[a-z]` a range, `{a,b}` alternatives. */
  host: string
  cert: string
  key: string
  ca: string | null
  passphrase: string | null
}

/** An exact host name has priority over a pattern; then the newest wins, which comes first. */
export function certificateFor<C extends Pick<ClientCertificate, 'host'>>(
  host: string,
  certificates: readonly C[],
): C | null {
  const name = host.toLowerCase()
  const exact = certificates.find((certificate) => certificate.host.toLowerCase() === name)
  if (exact) return exact
  return certificates.find((certificate) => matchesPattern(name, certificate.host.toLowerCase())) ?? null
}

const maxAlternatives = 200

/** Expands `{a,b}` into patterns; a pattern with too many alternatives matches nothing. */
function expand(pattern: string): string[] {
  const [, before = '', options, after = ''] = /^([^{]*)\{([^{}]*,[^{}]*)\}(.*)$/.exec(pattern) ?? []
  if (options === undefined) return [pattern]
  const rest = expand(after)
  const choices = options.split(',')
  if (choices.length * rest.length > maxAlternatives) return []
  return choices.flatMap((choice) => rest.map((end) => `${before}${choice}${end}`))
}

type PatternSymbol = '*' | ((character: string) => boolean)

function symbolsOf(pattern: string): PatternSymbol[] {
  const symbols: PatternSymbol[] = []
  for (const [text, negated, members] of pattern.matchAll(/\[([!^]?)([^\]]+)\]|./gs)) {
    if (text === '*') symbols.push('*')
    else if (text === '?') symbols.push(() => true)
    else if (members === undefined) symbols.push((character) => character === text)
    else symbols.push((character) => isMember(character, members) === (negated === ''))
  }
  return symbols
}

function isMember(character: string, members: string): boolean {
  for (const [single, from, to] of members.matchAll(/(.)-(.)|./gs)) {
    if (from === undefined || to === undefined ? single === character : from <= character && character <= to)
      return true
  }
  return false
}

/** Not by a regular expression, whose time a user's pattern could make exponential. */
function matchesPattern(name: string, pattern: string): boolean {
  return expand(pattern).some((plain) => matches(name, symbolsOf(plain)))
}

function matches(name: string, pattern: PatternSymbol[]): boolean {
  let at = 0
  let next = 0
  let star = -1
  let resume = 0
  while (at < name.length) {
    const symbol = pattern[next]
    if (symbol === '*') {
      star = next++
      resume = at
    } else if (symbol?.(name[at] ?? '')) {
      next++
      at++
    } else if (star >= 0) {
      next = star + 1
      at = ++resume
    } else return false
  }
  while (pattern[next] === '*') next++
  return next === pattern.length
}
