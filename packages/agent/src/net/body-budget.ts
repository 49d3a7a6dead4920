// Memory for response bodies. Every run may hold a small one without asking, so that the bodies of others can't delay
// it. A larger one reserves memory for a whole size class at once: a run that waits for memory never holds any that
// another run of its class waits for, so there are no deadlocks.
import { FairQueue } from '../core/fair-queue.ts'

/** Never waits; as much as a result stores, and as a script is given. */
export const smallBodyBytes = 256 * 1024

interface SizeClass {
  upToBytes: number
  /** Its part of the whole memory. */
  share: number
}

/** Most pages are below the first limit; the second is as much as is read of any body. */
const sizeClasses: readonly SizeClass[] = [
  { upToBytes: 4_000_000, share: 0.6 },
  { upToBytes: 25_000_000, share: 0.4 },
]

export interface BodyBudget {
  /** Reserves memory for a body of `bytes` or more. Returns for how many, and the wait for it where there is one. */
  reserve(bytes: number, mostBytes: number): Reservation
}

interface Reservation {
  bytes: number
  /** Null: granted already. */
  wait: Promise<void> | null
}

interface BodyShare extends BodyBudget {
  /** Gives back all that was reserved, and cancels what still waits. */
  release(): void
}

export interface BodyMemory {
  open(owner: string): BodyShare
  readonly usedBytes: number
}

export function bodyBudget(limitBytes: number, classes = sizeClasses): BodyMemory {
  const pools = classes.map(({ upToBytes, share }, index) => {
    const unit = upToBytes - (classes[index - 1]?.upToBytes ?? 0)
    return { upToBytes, pool: new Pool(limitBytes * share, unit) }
  })
  return {
    open(owner) {
      const releases: (() => void)[] = []
      let reservedTo = 0
      return {
        reserve(bytes, mostBytes) {
          const fitting = pools.find(({ upToBytes }) => upToBytes >= bytes) ?? pools.at(-1)
          if (!fitting || bytes <= reservedTo) return { bytes: reservedTo, wait: null }
          const to = Math.max(bytes, Math.min(fitting.upToBytes, mostBytes))
          const { wait, release } = fitting.pool.take(owner, to - reservedTo)
          reservedTo = to
          releases.push(release)
          return { bytes: to, wait }
        },
        release() {
          reservedTo = 0
          // Once each: what is released twice would be counted twice.
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
  /** What one owner may hold: the last unit is left to others, where there is more than one unit. */
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
    const wait = new Promise<void>((resolve) => {
      proceed = resolve
    })
    return { wait, release }
  }

  #admit(): void {
    for (;;) {
      let isFull = false
      // One that waits for the memory isn't overtaken by smaller ones; one that waits for its own account is.
      const next = this.#queue.take(({ bytes }, owner) => {
        isFull ||= this.used > 0 && this.used + bytes > this.#limit
        return !isFull && this.#isWithinOwnerLimit(owner, bytes)
      })
      if (!next) return
      next.proceed()
    }
  }

  /** One that is larger than a limit gets it when it is alone. */
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
