// A host's addresses of one family: by the agent's own queries, or by the operating system (USE_OS_DNS_RESOLVER).
import { lookup } from 'node:dns'
import { isIP } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { failureOf, failureOfAbort } from './failure.ts'
import { ownLookup } from './own-lookup.ts'

export type IpFamily = 'IPv4' | 'IPv6'

/** Rejects with an error that has a code: ENOTFOUND, ENODATA, ESERVFAIL, ETIMEOUT, …. */
export type Lookup = (name: string, family: IpFamily, signal: AbortSignal) => Promise<string[]>

// choice: Windows keeps its names elsewhere, so there the system is asked.
const ownResolver: Lookup = process.platform === 'win32' ? osLookup : ownLookup({})

/** choice: an address instead of a name is taken as it is, whatever family the check prefers. */
export async function resolveHost(
  host: string,
  family: IpFamily,
  signal: AbortSignal,
  find: Lookup = ownResolver,
): Promise<string[] | Failure> {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 0) return [bare]
  try {
    const found = await untilAborted(find(bare, family, signal), signal)
    if (found.length > 0) return [...new Set(found)]
    throw Object.assign(new Error('no address'), { code: 'ENODATA' })
  } catch (error) {
    if (signal.aborted) return failureOfAbort(signal, 'dns')
    const failure = failureOf(error, 'dns')
    const reason = reasons[failure.code ?? ''] ?? "couldn't be resolved"
    return { ...failure, kind: 'dns', message: `The name ${bare} ${reason} (${family}, ${failure.code}).` }
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
 * The operating system's way, with all of its sources. It blocks a thread per name, and Node lends it two of its four:
 * some slow names hold up all others.
 */
export function osLookup(name: string, family: IpFamily): Promise<string[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true, family: family === 'IPv6' ? 6 : 4 }, (error, found) =>
      error ? reject(error) : resolve(found.map(({ address }) => address)),
    )
  })
}

/** Whatever the lookup does, an abort is answered at once. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
