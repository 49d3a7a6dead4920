import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.ts'
import { findPrincipal, hashKey, type Principal, touchApiKey } from '../../storage/accounts/api-keys.ts'
import type { Store } from '../../storage/core/db.ts'

const cachedForMs = 5_000
const touchedEveryMs = 60_000
const maxCached = 10_000

interface CachedKey {
  principal: Principal
  until: number
  touchAt: number
}

/**
 * Recently used keys, so that a request needs no query. A key that another process revokes stays valid for at most
 * five seconds; `forget` applies changes of this process at once.
 */
export class KeyCache {
  private readonly known = new LRUCache<string, CachedKey>({ max: maxCached })
  private readonly store: Store
  private readonly clock: Clock
  private generation = 0

  constructor(store: Store, clock: Clock) {
    this.store = store
    this.clock = clock
  }

  async find(rawKey: string | undefined): Promise<Principal | null> {
    if (rawKey === undefined || rawKey.length > 200) return null
    const now = this.clock.now()
    const cached = this.known.get(rawKey)
    if (cached !== undefined && cached.until > now) {
      if (cached.touchAt <= now) this.touch(cached, now)
      return cached.principal
    }
    const generation = this.generation
    const principal = await findPrincipal(this.store.pool, hashKey(rawKey))
    if (principal === null) {
      this.known.delete(rawKey)
      return null
    }
    const entry = { principal, until: now + cachedForMs, touchAt: cached?.touchAt ?? now }
    // A query that began before a change may have read the old state.
    if (generation === this.generation) this.known.set(rawKey, entry)
    if (entry.touchAt <= now) this.touch(entry, now)
    return principal
  }

  /** Call after a key, a membership or a user has changed. */
  forget(): void {
    this.generation += 1
    this.known.clear()
  }

  private touch(entry: CachedKey, now: number): void {
    entry.touchAt = now + touchedEveryMs
    // Only informs people who look for unused keys, so errors are ignored.
    touchApiKey(this.store.db, entry.principal.keyId, new Date(now)).catch(() => undefined)
  }
}
