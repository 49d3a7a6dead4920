// Chooses the client certificate for a host.
import { findByRegex } from './expressions/regex.ts'

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

function matchesPattern(name: string, pattern: string): boolean {
  const found = findByRegex(`^(?:${expressionOf(pattern)})$`, name)
  return found.ok && found.value !== null
}

/** For RE2, which takes linear time whatever the pattern, and limits its size: one that is too large matches nothing. */
function expressionOf(pattern: string): string {
  return pattern.replace(
    /\{([^{}]*,[^{}]*)\}|\[([!^]?)([^\]]+)\]|./gs,
    (text: string, alternatives?: string, negated?: string, members?: string) => {
      if (alternatives !== undefined) return `(?:${alternatives.split(',').map(expressionOf).join('|')})`
      if (members !== undefined) return `[${negated && '^'}${members.replace(/[\\^[]/g, '\\$&')}]`
      if (text === '*') return '.*'
      return text === '?' ? '.' : text.replace(/[\\^$.|+()[\]{}]/, '\\$&')
    },
  )
}
