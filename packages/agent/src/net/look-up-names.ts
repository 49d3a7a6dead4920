// Looks up the host names of addresses, by PTR records.
import { getServers } from 'node:dns'
import { Resolver } from 'node:dns/promises'

interface ReverseOptions {
  signal: AbortSignal
  /** Instead of the system's name servers. */
  servers?: readonly string[]
  timeoutMs?: number
}

/** An address without a name, or whose name server doesn't respond in time, isn't in the map. */
export async function lookUpNames(
  addresses: readonly string[],
  { signal, servers = getServers(), timeoutMs = 1_000 }: ReverseOptions,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  if (signal.aborted) return names
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1, maxTimeout: timeoutMs })
  resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  await Promise.all(
    [...new Set(addresses)].map(async (address) => {
      const [name] = await resolver.reverse(address).catch(() => [])
      if (name !== undefined) names.set(address, name)
    }),
  )
  signal.removeEventListener('abort', cancel)
  return names
}
