// A host's addresses of one family. The system's resolver is asked, so that its hosts file counts.
import { lookup } from 'node:dns'
import { isIP } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { failureOf, failureOfAbort } from './failure.ts'

export type IpFamily = 'IPv4' | 'IPv6'

// choice: an address instead of a name is taken as it is, whatever family the check prefers.
export function resolveHost(
  host: string,
  family: IpFamily,
  signal: AbortSignal,
): Promise<string[] | Failure> {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 0) return Promise.resolve([bare])
  return new Promise((settle) => {
    const giveUp = () => settle(failureOfAbort(signal, 'dns'))
    signal.addEventListener('abort', giveUp, { once: true })
    lookup(bare, { all: true, family: family === 'IPv6' ? 6 : 4 }, (error, found) => {
      signal.removeEventListener('abort', giveUp)
      if (!error && found.length > 0) return settle([...new Set(found.map(({ address }) => address))])
      const failure = failureOf(error ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), 'dns')
      settle({ ...failure, message: `${bare}: ${failure.message} (${family}, ${failure.code})` })
    })
  })
}
