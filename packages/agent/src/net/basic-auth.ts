// Credentials as HTTP's basic scheme sends them.

export function basicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** Those that stand in a URL; null when there are none. */
export function credentialsIn(url: URL): { username: string; password: string } | null {
  if (url.username === '' && url.password === '') return null
  return { username: decoded(url.username), password: decoded(url.password) }
}

/** An address as it may be shown, be it a valid one or not. */
export function hideCredentials(url: string): string {
  return url.replace(/^(\s*[a-z][a-z\d+.-]*:[/\\]*)[^/\\?#]*@/i, '$1*********@')
}

/** Percent signs that encode nothing stand for themselves. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
