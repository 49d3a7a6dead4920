// The address that someone pasted, and a name for its check.

/** With https if there is no scheme. Null: it isn't an http address. */
export function urlOf(text: string): string | null {
  const trimmed = text.trim()
  const candidate = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  if (/\s/.test(candidate) || !URL.canParse(candidate)) return null
  const { protocol, hostname } = new URL(candidate)
  const isName = hostname === 'localhost' || hostname.includes('.') || hostname.startsWith('[')
  return /^https?:$/.test(protocol) && isName ? candidate : null
}

/** example.com/orders */
export function checkNameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname === '/' ? '' : pathname}`.slice(0, 200)
}
