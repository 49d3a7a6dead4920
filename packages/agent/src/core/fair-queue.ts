// A queue that serves its owners in turn, each of them first in, first out: one owner with many entries delays the
// entries of another by one turn, not by all of its own.

export class FairQueue<T> {
  /** In the order of their turns: an owner that was served goes to the end. */
  readonly #byOwner = new Map<string, T[]>()

  get size(): number {
    let size = 0
    for (const entries of this.#byOwner.values()) size += entries.length
    return size
  }

  push(owner: string, entry: T): void {
    const entries = this.#byOwner.get(owner)
    if (entries) entries.push(entry)
    else this.#byOwner.set(owner, [entry])
  }

  /** The next entry, of the first owner whose first entry is acceptable; undefined: none is. */
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

  remove(owner: string, isRemoved: (entry: T) => boolean): void {
    const left = (this.#byOwner.get(owner) ?? []).filter((entry) => !isRemoved(entry))
    if (left.length > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }
}
