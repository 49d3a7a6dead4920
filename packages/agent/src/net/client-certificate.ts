// Which client certificate is shown to a host.

export interface ClientCertificate {
  /** Absent: from a server of an earlier release. */
  id?: string
  /** A host name, or a pattern: `*` any characters, `?` one, `[a-z]` one of these, `{a,b}` one of both. */
  host: string
  cert: string
  key: string
  ca: string | null
  passphrase: string | null
}

/** A full host name beats a pattern; otherwise the newest wins, which comes first. */
export function certificateFor(
  host: string,
  certificates: readonly ClientCertificate[],
): ClientCertificate | null {
  const name = host.toLowerCase()
  const exact = certificates.find((certificate) => certificate.host.toLowerCase() === name)
  if (exact) return exact
  return certificates.find((certificate) => matchesPattern(name, certificate.host.toLowerCase())) ?? null
}

const maxAlternatives = 200

/** `{a,b}` as the patterns it stands for; one that stands for too many stands for none. */
function expand(pattern: string): string[] {
  const [, before = '', options, after = ''] = /^([^{]*)\{([^{}]*,[^{}]*)\}(.*)$/.exec(pattern) ?? []
  if (options === undefined) return [pattern]
  const rest = expand(after)
  const choices = options.split(',')
  if (choices.length * rest.length > maxAlternatives) return []
  return choices.flatMap((choice) => rest.map((end) => `${before}${choice}${end}`))
}

type Mark = '*' | ((character: string) => boolean)

function symbolsOf(pattern: string): Mark[] {
  const symbols: Mark[] = []
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

/** No regular expression of the user's: this one walk can not be made to explode. */
function matchesPattern(name: string, pattern: string): boolean {
  return expand(pattern).some((plain) => matches(name, symbolsOf(plain)))
}

function matches(name: string, pattern: Mark[]): boolean {
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
