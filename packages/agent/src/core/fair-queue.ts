// A round-robin queue: owners take turns, and the entries of one owner are first in, first out. An owner with many entries
// delays those of another by one turn only.

export class FairQueue<T> {
  /** In the order of their turns. An owner moves to the end after its turn. */
  readonly #byOwner = new Map<string, T[]>()

  get size(): number {
    return this.#byOwner.values().reduce((size, entries) => size + entries.length, 0)
  }

  push(owner: string, entry: T): void {
    const entries = this.#byOwner.get(owner)
    if (entries) entries.push(entry)
    else this.#byOwner.set(owner, [entry])
  }

  /** Takes the first entry of the first owner for which it is accepted; undefined: none is. */
  take(accepts: (entry: T, owner: string) => boolean = () => true): T | undefined {
    for (const [owner, entries] of this.#byOwner) {
      const [first] = entries
      if (first === undefined || !accepts(first, owner)) continue
      entries.shift()
      this.#byOwner.delete(owner)
      if (entries.length > 0) this.#byOwner.set(owner, entries)
      return first
    }
    return undefined
  }

  remove(owner: string, matches: (entry: T) => boolean): void {
    const left = (this.#byOwner.get(owner) ?? []).filter((entry) => !matches(entry))
    if (left.length > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }
}
