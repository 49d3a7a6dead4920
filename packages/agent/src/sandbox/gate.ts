// So many at once, the others wait in their order.

export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Whoever has entered leaves by calling what is returned, once. Null: the signal came first. */
  enter(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null)
    if (this.#free > 0) {
      this.#free -= 1
      return Promise.resolve(() => this.#leave())
    }
    return new Promise((settle) => {
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        settle(() => this.#leave())
      }
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1)
        settle(null)
      }
      this.#waiting.push(admit)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
