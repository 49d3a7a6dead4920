/** Compiled expressions, the least recently used forgotten first: the same checks come back every minute. */
export class ExpressionCache<V> {
  readonly #entries = new Map<string, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string, make: () => V): V {
    const known = this.#entries.get(key)
    const value = known ?? make()
    if (known !== undefined) this.#entries.delete(key)
    else if (this.#entries.size >= this.#limit) this.#forgetOldest()
    this.#entries.set(key, value)
    return value
  }

  #forgetOldest(): void {
    const oldest = this.#entries.keys().next()
    if (!oldest.done) this.#entries.delete(oldest.value)
  }
}
