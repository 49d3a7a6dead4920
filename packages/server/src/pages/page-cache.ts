// Keeps what pages show. However many visitors come, each page is computed once at a time; when the store is slow or down,
// visitors get the last content.
import { ApiError } from '@vedette/contracts'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'

/** How long content is served without looking for newer. */
const freshMs = 5_000
/** How long after a failure the last content is served without trying again. */
const retryMs = 1_000
/** How long visitors wait for newer content if there is an older one. */
const patienceMs = 1_000
/** How long visitors wait for a page that nobody has seen yet. */
const firstPatienceMs = 3_000
/** A computation that takes longer is never coming back, and another one begins. */
const lostMs = 30_000
const maxPages = 500
const maxMisses = 500

/** Content that is older is shown with its age. */
export const staleMs = 60_000

interface Cached<T> {
  value: T
  /** When it was computed. */
  at: number
}

interface Kept<T> extends Cached<T> {
  /** Until then it is served as it is. */
  until: number
}

export class PageCache<T> {
  readonly #pages = new LRUCache<string, Kept<T | null>>({ max: maxPages })
  /** Apart, so that requests for names without a page don't evict pages. */
  readonly #misses = new LRUCache<string, Kept<T | null>>({ max: maxMisses })
  /** What visitors get while a page is computed: one promise for all of them, settled when their patience ends. */
  readonly #waiting = new Map<string, Promise<Cached<T | null>>>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Rejects only if nothing was ever computed for this key. `isPage`: others are evicted first. */
  async get(
    key: string,
    compute: () => Promise<T | null>,
    isPage: (value: T | null) => boolean = (value) => value !== null,
  ): Promise<Cached<T | null>> {
    const kept = this.#pages.get(key) ?? this.#misses.get(key)
    if (kept !== undefined && this.#clock.now() < kept.until) return kept
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) return waiting
    const computed = this.#compute(key, compute, isPage)
    const patience = Promise.withResolvers<Cached<T | null>>()
    const timers = [
      kept === undefined
        ? setTimeout(() => patience.reject(new ApiError('unavailable')), firstPatienceMs)
        : setTimeout(() => patience.resolve(kept), patienceMs),
      setTimeout(() => this.#waiting.delete(key), lostMs),
    ]
    const settled = Promise.race([computed.catch((error) => this.#keepLast(kept, error)), patience.promise])
    this.#waiting.set(key, settled)
    const end = () => {
      for (const timer of timers) clearTimeout(timer)
      if (this.#waiting.get(key) === settled) this.#waiting.delete(key)
    }
    computed.then(end, end)
    for (const timer of timers) timer.unref()
    return settled
  }

  #keepLast(kept: Kept<T | null> | undefined, error: unknown): Cached<T | null> {
    if (kept === undefined) throw error
    kept.until = this.#clock.now() + retryMs
    return kept
  }

  async #compute(
    key: string,
    compute: () => Promise<T | null>,
    isPage: (value: T | null) => boolean,
  ): Promise<Cached<T | null>> {
    const at = this.#clock.now()
    const value = await compute()
    const kept = { value, at, until: at + freshMs }
    const [to, from] = isPage(value) ? [this.#pages, this.#misses] : [this.#misses, this.#pages]
    from.delete(key)
    to.set(key, kept)
    return kept
  }
}
