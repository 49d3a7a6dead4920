// Limits concurrency; waiters are served in order.

export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(permits: number) {
    this.#free = permits
  }

  /** Resolves with a function that releases the permit, to be called once; null: the signal was aborted first. */
  acquire(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null)
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve(() => this.#release())
    }
    return new Promise((settle) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        settle(() => this.#release())
      }
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1)
        settle(null)
      }
      this.#waiting.push(admit)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
