import { LRUCache } from 'lru-cache'
import { batched } from '../../core/batched.ts'
import type { Clock } from '../../core/clock.ts'
import { findPrincipals, hashKey, type Principal, touchApiKeys } from '../../storage/accounts/api-keys.ts'
import { findSignInPrincipals, touchSignIns } from '../../storage/accounts/sign-ins.ts'
import type { Store } from '../../storage/core/db.ts'

const cachedForMs = 5_000
const touchedEveryMs = 60_000
const maxCached = 10_000

type Kind = 'key' | 'sign-in'

interface CallersOfKind {
  read(secret: string): Promise<Principal | null>
  /** Notes that it was used. */
  touch(id: string): Promise<void>
}

interface CachedCaller {
  principal: Principal
  foundAt: number
  until: number
  touchAt: number
}

/**
 * Recently used keys and sign-ins, so that a request needs no query. One that another process ends stays valid for at most five
 * seconds; `forget` applies changes of this process at once.
 */
export class KeyCache {
  private readonly known = new LRUCache<string, CachedCaller>({ max: maxCached })
  private readonly clock: Clock
  private generation = 0
  private readonly kinds: Record<Kind, CallersOfKind>

  constructor(store: Store, clock: Clock) {
    this.clock = clock
    const now = () => new Date(clock.now())
    // Streams ask whether their callers may still read, all at once.
    this.kinds = {
      key: {
        read: batched((secrets) => findPrincipals(store.pool, secrets.map(hashKey))),
        touch: batched((ids) => touchApiKeys(store.db, ids, now()).then(() => [])),
      },
      'sign-in': {
        read: batched((secrets) => findSignInPrincipals(store.pool, secrets.map(hashKey), now())),
        touch: batched((ids) => touchSignIns(store.db, ids, now()).then(() => [])),
      },
    }
  }

  /** `maxAgeMs`: when it must have been read, for callers that can't wait until the cache has forgotten it. */
  find(rawKey: string | undefined, maxAgeMs?: number): Promise<Principal | null> {
    return this.findCaller('key', rawKey, maxAgeMs)
  }

  /** By the value of its cookie. */
  findSignIn(secret: string | undefined, maxAgeMs?: number): Promise<Principal | null> {
    return this.findCaller('sign-in', secret, maxAgeMs)
  }

  /** Call after a key, a sign-in, a membership or a user has changed. */
  forget(): void {
    this.generation += 1
    this.known.clear()
  }

  forgetSignIn(secret: string | undefined): void {
    this.known.delete(`sign-in ${secret}`)
  }

  private async findCaller(
    kind: Kind,
    secret: string | undefined,
    maxAgeMs = cachedForMs,
  ): Promise<Principal | null> {
    if (secret === undefined || secret.length > 200) return null
    const now = this.clock.now()
    const name = `${kind} ${secret}`
    const cached = this.known.get(name)
    if (cached !== undefined && cached.until > now && cached.foundAt + maxAgeMs > now) {
      if (cached.touchAt <= now) this.touch(cached, now)
      return cached.principal
    }
    const generation = this.generation
    const principal = await this.kinds[kind].read(secret)
    if (principal === null) {
      this.known.delete(name)
      return null
    }
    const entry = {
      principal,
      foundAt: now,
      until: Math.min(now + cachedForMs, principal.signIn?.expiresAt ?? Number.POSITIVE_INFINITY),
      touchAt: touchTimeOf(principal) ?? cached?.touchAt ?? now,
    }
    // A query that began before a change may have read the old state.
    if (generation === this.generation) this.known.set(name, entry)
    if (entry.touchAt <= now) this.touch(entry, now)
    return principal
  }

  private touch(entry: CachedCaller, now: number): void {
    entry.touchAt = now + touchedEveryMs
    const { keyId, signIn } = entry.principal
    const { touch } = this.kinds[signIn === undefined ? 'key' : 'sign-in']
    // Informs people who look for unused keys, and delays the end of a sign-in by a minute at most: errors are ignored.
    touch(keyId).catch(() => undefined)
  }
}

function touchTimeOf({ signIn }: Principal): number | undefined {
  return signIn && signIn.lastUsedAt + touchedEveryMs
}
