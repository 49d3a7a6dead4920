// Where to go after signing in: only paths of this app, never another site.

export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  const origin = 'http://app.invalid'
  try {
    const url = new URL(next, origin)
    const isOwn = url.origin === origin && next.startsWith('/') && !/^\/login(\/|$)/.test(url.pathname)
    return isOwn && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}${url.hash}` : '/'
  } catch {
    return '/'
  }
}
