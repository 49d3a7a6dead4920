// Names to addresses without a thread of the pool, so that 500 runs can ask at once: the hosts file, then the system's
// name servers. Nothing is kept from one run to the next: a monitor that reads a cache monitors the cache.
import { Resolver } from 'node:dns'
import { addressesInHosts, isLocalhost, loopbackOf } from './hosts-file.ts'
import { watchedFile } from './watched-file.ts'

export interface OwnLookupOptions {
  /** In place of the system's: addresses, with a port where it is not 53. */
  servers?: readonly string[]
  hostsFile?: string
  resolvConf?: string
  /** For one query to one server; each server is asked twice. */
  timeoutMs?: number
}

export function ownLookup({
  servers,
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
  timeoutMs = 2_000,
}: OwnLookupOptions) {
  const hosts = watchedFile(hostsFile, addressesInHosts)
  const rules = watchedFile(resolvConf, searchRules)
  const idle = new Map<SearchRules, Resolver[]>()

  /** Making one costs as much as a query; those made for earlier settings are let go. */
  function take(settings: SearchRules): Resolver {
    for (const known of idle.keys()) if (known !== settings) idle.delete(known)
    const spare = idle.get(settings)?.pop()
    if (spare) return spare
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2, maxTimeout: timeoutMs })
    if (servers) resolver.setServers(servers)
    return resolver
  }

  return async (name: string, family: 'IPv4' | 'IPv6', signal: AbortSignal): Promise<string[]> => {
    const plain = name.replace(/\.$/, '').toLowerCase()
    const listed = hosts().get(plain)?.[family]
    if (listed) return listed
    if (isLocalhost(plain)) return [loopbackOf(family)]
    const settings = rules()
    const resolver = take(settings)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await askAll(resolver, candidatesOf(name, settings), family, signal)
    } finally {
      signal.removeEventListener('abort', cancel)
      const spares = idle.get(settings) ?? []
      idle.set(settings, spares)
      if (spares.length < maxIdle) spares.push(resolver)
    }
  }
}

const maxIdle = 500

/** The first name that has addresses; else what was said of the name as it was given, which is what people know. */
async function askAll(
  resolver: Resolver,
  candidates: { name: string; isGiven: boolean }[],
  family: 'IPv4' | 'IPv6',
  signal: AbortSignal,
): Promise<string[]> {
  let told: unknown
  for (const { name, isGiven } of candidates) {
    try {
      signal.throwIfAborted()
      return await ask(resolver, name, family)
    } catch (error) {
      if (told === undefined || isGiven) told = error
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['ENOTFOUND', 'ENODATA'].includes(code)) throw error
    }
  }
  throw told
}

function ask(resolver: Resolver, name: string, family: 'IPv4' | 'IPv6'): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const done = (error: NodeJS.ErrnoException | null, addresses: string[]) => {
      if (!error) return resolve(addresses)
      // A name that no server could be asked about does not exist either.
      if (error.code === 'EBADNAME') error.code = 'ENOTFOUND'
      reject(error)
    }
    if (family === 'IPv6') resolver.resolve6(name, done)
    else resolver.resolve4(name, done)
  })
}

export interface SearchRules {
  search: string[]
  /** A name with as many dots is tried as it is before any suffix. */
  ndots: number
}

/** What of resolv.conf the resolver library does not do by itself. */
export function searchRules(text: string): SearchRules {
  const rules: SearchRules = { search: [], ndots: 1 }
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/)
    // The last one counts, and `domain` is a search list of one.
    if (keyword === 'search' || keyword === 'domain') rules.search = words.filter((word) => word !== '.')
    const ndots = keyword === 'options' ? words.join(' ').match(/\bndots:(\d+)/)?.[1] : undefined
    if (ndots !== undefined) rules.ndots = Math.min(Number(ndots), 15)
  }
  return rules
}

function candidatesOf(name: string, { search, ndots }: SearchRules) {
  const given = [{ name, isGiven: true }]
  if (name.endsWith('.')) return given
  const suffixed = search.map((suffix) => ({ name: `${name}.${suffix}`, isGiven: false }))
  const dots = name.split('.').length - 1
  return dots >= ndots ? [...given, ...suffixed] : [...suffixed, ...given]
}
