// Credentials of HTTP's basic scheme.

export function basicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** The credentials in a URL; null: it has none. */
export function credentialsIn(url: URL): { username: string; password: string } | null {
  if (url.username === '' && url.password === '') return null
  return { username: percentDecode(url.username), password: percentDecode(url.password) }
}

/** For messages. Works on invalid URLs too. */
export function hideCredentials(url: string): string {
  return !url.includes('@') ? url : url.replace(/^(\s*[a-z][a-z\d+.-]*:[/\\]*)[^/\\?#]*@/i, '$1*********@')
}

/** Text that isn't valid percent-encoding stays as it is. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
