// The hosts file, and the names of this machine that aren't in it.
import { isIP } from 'node:net'

export type HostsFile = ReadonlyMap<string, Partial<Record<'IPv4' | 'IPv6', string[]>>>

export function addressesInHosts(text: string): HostsFile {
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

export function loopbackOf(family: 'IPv4' | 'IPv6'): string {
  return family === 'IPv6' ? '::1' : '127.0.0.1'
}
