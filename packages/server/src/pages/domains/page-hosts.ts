// Hosts beside the one of the app: pages at <name>.STATUS_DOMAIN, <name>.DASHBOARDS_DOMAIN and custom domains, and files of runs. Such a
// host shows one page, or files, and nothing else, so that content of users never shares an origin with the API or the app. Requests are routed from memory: it
// is read again every few seconds, and stays as it is while the store is down.
import { normalizeHostName } from '@vedette/contracts'
import type { Config } from '../../config.ts'
import { isWithinHost, ownHosts } from '../../core/own-hosts.ts'
import type { Db } from '../../storage/core/db.ts'
import { hasSeveralAccounts, listPageHosts, listPageNames } from '../../storage/pages/page-domains.ts'
import { pendingDomainPath } from './pending-domain.ts'

/** All that the host of ASSETS_URL shows. */
const assetsPaths = /^\/(assets|trace-viewer)(\/|\?|$)/
const unknownAssetPath = '/assets/-'

type HostSettings = Pick<
  Config,
  'PUBLIC_URL' | 'PORT' | 'ASSETS_URL' | 'STATUS_DOMAIN' | 'DASHBOARDS_DOMAIN' | 'CUSTOM_DOMAIN_PROOF'
>

export class PageHosts {
  readonly #settings: HostSettings
  readonly #db: Db
  readonly #ownHosts: string[]
  readonly #assetsHost: string | null
  /** The address of the page by domain; null: the domain isn't proven. */
  #domains: ReadonlyMap<string, string | null> = new Map()
  #names: Record<'status' | 'dashboards', ReadonlySet<string>> = { status: new Set(), dashboards: new Set() }
  #reads = 0
  #lastRead = 0

  constructor(settings: HostSettings, db: Db) {
    this.#settings = settings
    this.#db = db
    this.#ownHosts = ownHosts(settings)
    this.#assetsHost = settings.ASSETS_URL === undefined ? null : new URL(settings.ASSETS_URL).hostname
  }

  async refresh(): Promise<void> {
    const read = ++this.#reads
    const { STATUS_DOMAIN, DASHBOARDS_DOMAIN, CUSTOM_DOMAIN_PROOF } = this.#settings
    const needsProof = CUSTOM_DOMAIN_PROOF === 'on' && (await hasSeveralAccounts(this.#db))
    const hosts = await listPageHosts(this.#db)
    const hasNames = STATUS_DOMAIN !== undefined || DASHBOARDS_DOMAIN !== undefined
    const names = hasNames ? await listPageNames(this.#db) : { status: [], dashboards: [] }
    // One that began later has ended before: it knows more.
    if (read < this.#lastRead) return
    this.#lastRead = read
    this.#domains = new Map(
      hosts
        .filter(({ domain }) => !this.#ownHosts.some((host) => isWithinHost(domain, host)))
        .map(({ domain, isProven, address }) => [domain, isProven || !needsProof ? address : null]),
    )
    this.#names = { status: new Set(names.status), dashboards: new Set(names.dashboards) }
  }

  /** The path that handles a request: that of the page if the host belongs to one. Null: as it was sent. */
  pathOf(host: string | undefined, path: string): string | null {
    const name = hostNameOf(host)
    if (name === this.#assetsHost) return assetsPaths.test(path) ? null : unknownAssetPath
    const address = this.#domains.get(name) ?? this.#addressOfName(name)
    if (address === null) return this.#domains.has(name) ? pendingDomainPath : null
    const rest = path.startsWith('/') ? path : '/'
    return `${address}${rest === '/' ? '' : rest.replace(/^\/\?/, '?')}`
  }

  /** Whether the host shows a page. */
  isServed(host: string): boolean {
    const name = normalizeHostName(host)
    if (this.#domains.has(name)) return this.#domains.get(name) !== null
    const below = this.#belowDomain(name)
    return below !== null && this.#names[below.kind].has(below.label)
  }

  #addressOfName(name: string): string | null {
    const below = this.#belowDomain(name)
    return below && `${below.kind === 'status' ? '/s/' : '/d/'}${encodeURIComponent(below.label)}`
  }

  #belowDomain(name: string): { kind: 'status' | 'dashboards'; label: string } | null {
    // PUBLIC_URL may be below one of the domains.
    if (name === this.#ownHosts[0]) return null
    const { STATUS_DOMAIN, DASHBOARDS_DOMAIN } = this.#settings
    for (const [domain, kind] of [
      [STATUS_DOMAIN, 'status'],
      [DASHBOARDS_DOMAIN, 'dashboards'],
    ] as const) {
      if (domain !== undefined && name.endsWith(`.${domain}`))
        return { kind, label: name.slice(0, -domain.length - 1) }
    }
    return null
  }
}

/** Of a Host header. */
function hostNameOf(header = ''): string {
  return header.toLowerCase().replace(/\.?(:\d*)?$/, '')
}
