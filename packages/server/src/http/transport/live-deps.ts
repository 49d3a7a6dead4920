import type { IncomingMessage } from 'node:http'
import { clientAddressOf } from './client-address.ts'
import type { Deps } from './deps.ts'
import { KeyCache } from './key-cache.ts'
import { RateLimiter } from './rate-limit.ts'

/** What live results share with requests: keys, limits, and the addresses of clients. */
export function liveDeps<L>({
  config,
  store,
  clock,
  log,
  pageHosts,
}: Pick<Deps, 'config' | 'store' | 'clock' | 'pageHosts'> & { log: L }) {
  const addressOf: (request: IncomingMessage) => string = clientAddressOf(config.TRUST_PROXY)
  return {
    store,
    clock,
    log,
    keys: new KeyCache(store, clock),
    limiter: new RateLimiter(store.pool, clock),
    perKey: config.RATE_LIMIT_PER_MINUTE,
    perAddress: config.RATE_LIMIT_PUBLIC_PER_MINUTE,
    addressOf,
    isPageHost: (host: string | undefined) => (pageHosts?.pathOf(host, '/') ?? null) !== null,
  }
}
