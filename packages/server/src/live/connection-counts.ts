/** Counts open connections by owner, up to a limit each. */
export class ConnectionCounts {
  readonly #counts = new Map<string, number>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False: the owner has as many as it may have. */
  enter(owner: string): boolean {
    const count = this.#counts.get(owner) ?? 0
    if (count >= this.#limit) return false
    this.#counts.set(owner, count + 1)
    return true
  }

  leave(owner: string): void {
    const count = (this.#counts.get(owner) ?? 0) - 1
    if (count > 0) this.#counts.set(owner, count)
    else this.#counts.delete(owner)
  }
}
