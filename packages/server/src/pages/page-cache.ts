// Keeps what pages show. However many visitors come, each page is computed once at a time; when the store is slow or down,
// visitors get the last content.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'

/** How long content is served without looking for newer. */
const freshMs = 5_000
/** How long a visitor waits for newer content if there is an older one. */
const patienceMs = 1_000
const maxPages = 500

/** Content that is older is shown with its age. */
export const staleMs = 60_000

interface Cached<T> {
  value: T
  /** When it was computed. */
  at: number
}

interface Entry<T> {
  cached: Cached<T> | null
  pending: Promise<Cached<T>> | null
}

export class PageCache<T> {
  readonly #entries = new LRUCache<string, Entry<T>>({ max: maxPages })
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Rejects only if nothing was ever computed for this key. */
  async get(key: string, compute: () => Promise<T>): Promise<Cached<T>> {
    const entry = this.#entries.get(key) ?? { cached: null, pending: null }
    this.#entries.set(key, entry)
    const { cached } = entry
    if (cached !== null && this.#clock.now() - cached.at < freshMs) return cached
    entry.pending ??= this.#compute(entry, compute)
    if (cached === null) return entry.pending
    const timeout = new Promise<Cached<T>>((resolve) => setTimeout(resolve, patienceMs, cached).unref())
    return Promise.race([entry.pending.catch(() => cached), timeout])
  }

  async #compute(entry: Entry<T>, compute: () => Promise<T>): Promise<Cached<T>> {
    const at = this.#clock.now()
    try {
      const cached = { value: await compute(), at }
      entry.cached = cached
      return cached
    } finally {
      entry.pending = null
    }
  }
}
