// Memory for response bodies. Every run may hold a small one without asking, so that the bodies of others can't delay
// it. A larger one reserves memory for a whole size class at once: a run that waits for memory never holds any that
// another run of its class waits for, so there are no deadlocks.
import { FairQueue } from '../core/fair-queue.ts'

/** A body up to this size never waits. It is the most that a result stores and a script receives. */
export const smallBodyBytes = 256 * 1024

/** Each has a share of the whole budget. Most pages are below the first limit; no body is read beyond the second. */
const sizeClasses = [
  { upToBytes: 4_000_000, share: 0.6 },
  { upToBytes: 25_000_000, share: 0.4 },
]

export interface BodyBudget {
  /** Reserves memory for a body of at least `bytes`. `bytes` of the result: the reserved size; `wait` null: granted at once. */
  reserve(bytes: number, mostBytes: number): { bytes: number; wait: Promise<void> | null }
}

export type BodyMemory = ReturnType<typeof bodyBudget>

export function bodyBudget(limitBytes: number, classes = sizeClasses) {
  const pools = classes.map(({ upToBytes, share }, index) => {
    const unit = upToBytes - (classes[index - 1]?.upToBytes ?? 0)
    return { upToBytes, pool: new Pool(limitBytes * share, unit) }
  })
  return {
    open(owner: string) {
      const releases: (() => void)[] = []
      let reservedTo = 0
      return {
        reserve(bytes: number, mostBytes: number) {
          const fitting = pools.find(({ upToBytes }) => upToBytes >= bytes) ?? pools.at(-1)
          if (!fitting || bytes <= reservedTo) return { bytes: reservedTo, wait: null }
          const to = Math.max(bytes, Math.min(fitting.upToBytes, mostBytes))
          const { wait, release } = fitting.pool.take(owner, to - reservedTo)
          reservedTo = to
          releases.push(release)
          return { bytes: to, wait }
        },
        /** Releases everything, and cancels reservations that still wait. */
        release() {
          reservedTo = 0
          // A second release would be counted twice.
          for (const release of releases.splice(0)) release()
        },
      }
    },
    get usedBytes() {
      return pools.reduce((used, { pool }) => used + pool.used, 0)
    },
  }
}

interface Waiting {
  bytes: number
  proceed(): void
}

class Pool {
  used = 0
  readonly #limit: number
  /** The most that one owner may hold: if there are several units, the last one is left to other owners. */
  readonly #ownerLimit: number
  readonly #held = new Map<string, number>()
  readonly #queue = new FairQueue<Waiting>()

  constructor(limit: number, unit: number) {
    this.#limit = limit
    this.#ownerLimit = limit >= 2 * unit ? limit - unit : limit
  }

  take(owner: string, bytes: number): { wait: Promise<void> | null; release(): void } {
    let isHeld = false
    let proceed = () => {}
    const waiting: Waiting = {
      bytes,
      proceed: () => {
        isHeld = true
        this.#count(owner, bytes)
        proceed()
      },
    }
    const release = () => {
      if (isHeld) this.#count(owner, -bytes)
      else this.#queue.remove(owner, (entry) => entry === waiting)
      this.#admit()
    }
    this.#queue.push(owner, waiting)
    this.#admit()
    if (isHeld) return { wait: null, release }
    const { promise: wait, resolve } = Promise.withResolvers<void>()
    proceed = resolve
    return { wait, release }
  }

  #admit(): void {
    for (;;) {
      let isFull = false
      // Smaller reservations don't overtake one that waits for the pool, but they overtake one that waits for its owner's limit.
      const next = this.#queue.take(({ bytes }, owner) => {
        isFull ||= this.used > 0 && this.used + bytes > this.#limit
        return !isFull && this.#isWithinOwnerLimit(owner, bytes)
      })
      if (!next) return
      next.proceed()
    }
  }

  /** A reservation that exceeds the limit is granted if its owner holds nothing else. */
  #isWithinOwnerLimit(owner: string, bytes: number): boolean {
    const own = this.#held.get(owner) ?? 0
    return own === 0 || own + bytes <= this.#ownerLimit
  }

  #count(owner: string, bytes: number): void {
    this.used += bytes
    const own = (this.#held.get(owner) ?? 0) + bytes
    if (own > 0) this.#held.set(owner, own)
    else this.#held.delete(owner)
  }
}
