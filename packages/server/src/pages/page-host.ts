// Pages with a host of their own: <name>.STATUS_DOMAIN and <name>.DASHBOARDS_DOMAIN. Such a host shows one page and nothing else,
// so that content of users never shares an origin with the API or the app.

export interface PageDomains {
  STATUS_DOMAIN?: string | undefined
  DASHBOARDS_DOMAIN?: string | undefined
}

/** The path that handles a request: that of the page if the host belongs to one. Null: as it was sent. */
export function pathOfHost(domains: PageDomains, host: string | undefined, path: string): string | null {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '')
  const prefixes = [
    [domains.STATUS_DOMAIN, '/s/'],
    [domains.DASHBOARDS_DOMAIN, '/d/'],
  ] as const
  for (const [domain, prefix] of prefixes) {
    if (domain === undefined || !name.endsWith(`.${domain}`)) continue
    const label = name.slice(0, -domain.length - 1)
    const rest = path.startsWith('/') ? path : '/'
    return `${prefix}${encodeURIComponent(label)}${rest === '/' ? '' : rest.replace(/^\/\?/, '?')}`
  }
  return null
}
