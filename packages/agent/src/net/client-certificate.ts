// Which client certificate is shown to a host.

export interface ClientCertificate {
  /** A host name, or a pattern in which * stands for any characters and ? for one. */
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

/** No regular expression: patterns are given by users, and this one walk can not be made to explode. */
function matchesPattern(name: string, pattern: string): boolean {
  let at = 0
  let next = 0
  let star = -1
  let resume = 0
  while (at < name.length) {
    const symbol = pattern[next]
    if (symbol === '*') {
      star = next++
      resume = at
    } else if (symbol === '?' || symbol === name[at]) {
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
