// Resolves names without a thread of the pool, so that 500 runs can resolve at once: by the hosts file, then by the system's
// name servers. Nothing is cached between runs: a monitor that reads a cache monitors the cache.
import { Resolver } from 'node:dns/promises'
import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { errorCode } from '@vedette/safeguards/errors'
import { readText } from '../core/system.ts'
import { systemError } from './failure.ts'

interface OwnLookupOptions {
  /** Instead of the system's: addresses, with a port unless it is 53. */
  servers?: readonly string[]
  hostsFile?: string
  resolvConf?: string
  /** For one query to one server; each server is queried twice. */
  timeoutMs?: number
}

export function ownLookup({
  servers,
  hostsFile = '/etc/hosts',
  resolvConf = '/etc/resolv.conf',
  timeoutMs = 2_000,
}: OwnLookupOptions) {
  const hosts = watchFile(hostsFile, addressesInHosts)
  const rules = watchFile(resolvConf, searchRules)
  const idle = new Map<SearchRules, Resolver[]>()

  /** A resolver costs as much as a query, so it is reused until the settings change. */
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
    if (isLocalhost(plain)) return [family === 'IPv6' ? '::1' : '127.0.0.1']
    const settings = rules()
    const resolver = take(settings)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await askAll(resolver, name, settings, family, signal)
    } finally {
      signal.removeEventListener('abort', cancel)
      const spares = idle.get(settings) ?? []
      idle.set(settings, spares)
      if (spares.length < maxIdle) spares.push(resolver)
    }
  }
}

const maxIdle = 500

/** Returns the addresses of the first name that has any, or throws the error of the name as the user wrote it. */
async function askAll(
  resolver: Resolver,
  given: string,
  settings: SearchRules,
  family: 'IPv4' | 'IPv6',
  signal: AbortSignal,
): Promise<string[]> {
  let firstError: unknown
  for (const name of candidatesOf(given, settings)) {
    try {
      signal.throwIfAborted()
      return await (family === 'IPv6' ? resolver.resolve6(name) : resolver.resolve4(name))
    } catch (problem) {
      // A name that isn't valid doesn't exist.
      const error = errorCode(problem) === 'EBADNAME' ? systemError('ENOTFOUND') : problem
      if (firstError === undefined || name === given) firstError = error
      if (!['ENOTFOUND', 'ENODATA'].includes(errorCode(error) ?? '')) throw error
    }
  }
  throw firstError
}

function addressesInHosts(text: string) {
  const hosts = new Map<string, Partial<Record<'IPv4' | 'IPv6', string[]>>>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/)
    const version = isIP(address.replace(/%.*$/, ''))
    if (version === 0) continue
    const family = version === 6 ? 'IPv6' : 'IPv4'
    for (const name of names.map((given) => given.toLowerCase())) {
      const known = hosts.get(name) ?? {}
      hosts.set(name, { ...known, [family]: [...(known[family] ?? []), address] })
    }
  }
  return hosts
}

/** RFC 6761 §6.3: these names must not be sent to name servers. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

interface SearchRules {
  search: string[]
  /** A name with at least this many dots is tried without a suffix first. */
  ndots: number
}

/** The settings of resolv.conf that the resolver library ignores. */
export function searchRules(text: string): SearchRules {
  const rules: SearchRules = { search: [], ndots: 1 }
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/)
    // The last one counts. `domain` is a search list with one entry.
    if (keyword === 'search' || keyword === 'domain') rules.search = words.filter((word) => word !== '.')
    const ndots = keyword === 'options' ? words.join(' ').match(/\bndots:(\d+)/)?.[1] : undefined
    if (ndots !== undefined) rules.ndots = Math.min(Number(ndots), 15)
  }
  return rules
}

function candidatesOf(name: string, { search, ndots }: SearchRules): string[] {
  if (name.endsWith('.')) return [name]
  const suffixed = search.map((suffix) => `${name}.${suffix}`)
  const dots = name.split('.').length - 1
  return dots >= ndots ? [name, ...suffixed] : [...suffixed, name]
}

/**
 * Parses a file again when it changes. Synchronous, since lookups must not wait for the thread pool; a stat takes some
 * microseconds. A missing file counts as empty; the same content returns the same object.
 */
function watchFile<T>(path: string, parse: (text: string) => T): () => T {
  let known: { stamp: string; value: T } | undefined
  return () => {
    const stamp = stampOf(path)
    if (known?.stamp !== stamp) known = { stamp, value: parse(stamp === '' ? '' : readText(path)) }
    return known.value
  }
}

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : ''
}
