// Resolves a host to addresses of one family: by the agent's own queries, or by the operating system (USE_OS_DNS_RESOLVER).
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { untilAborted } from '../core/until-aborted.ts'
import { failureOf, failureOfAbort, systemError } from './failure.ts'
import { ownLookup } from './own-lookup.ts'
import { stripBrackets } from './split-server.ts'

export type IpFamily = 'IPv4' | 'IPv6'

/** Rejects with an error that has a code: ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT, …. */
export type Lookup = (name: string, family: IpFamily, signal: AbortSignal) => Promise<string[]>

// choice: Windows has no hosts file or resolv.conf at these paths, so the operating system resolves there.
const ownResolver: Lookup = process.platform === 'win32' ? osLookup : ownLookup({})

/** choice: an IP address is returned unchanged, whatever the family. */
export async function resolveHost(
  host: string,
  family: IpFamily,
  signal: AbortSignal,
  lookUp: Lookup = ownResolver,
): Promise<string[] | Failure> {
  const name = stripBrackets(host)
  if (isIP(name) !== 0) return [name]
  try {
    const addresses = await untilAborted(lookUp(name, family, signal), signal)
    if (addresses.length > 0) return [...new Set(addresses)]
    throw systemError('ENODATA')
  } catch (error) {
    if (signal.aborted) return failureOfAbort(signal, 'dns')
    const failure = failureOf(error, 'dns')
    const reason = reasons[failure.code ?? ''] ?? "couldn't be resolved"
    return { ...failure, kind: 'dns', message: `The name ${name} ${reason} (${family}, ${failure.code}).` }
  }
}

const reasons: Record<string, string> = {
  ENODATA: 'has no address of this family',
  ESERVFAIL: "couldn't be resolved: the resolver failed",
  EREFUSED: "couldn't be resolved: the resolver refused the query",
  ETIMEOUT: "couldn't be resolved: the resolver didn't respond",
  EAI_AGAIN: "couldn't be resolved: the resolver didn't respond",
  ECONNREFUSED: "couldn't be resolved: the resolver didn't respond",
}

/**
 * Resolves by the operating system, with all of its sources. Each name blocks a thread, and Node uses at most two of four: a
 * few slow names delay all others.
 */
export async function osLookup(name: string, family: IpFamily): Promise<string[]> {
  const addresses = await lookup(name, { all: true, family: family === 'IPv6' ? 6 : 4 })
  return addresses.map(({ address }) => address)
}
