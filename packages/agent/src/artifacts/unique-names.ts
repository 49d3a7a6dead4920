/** Makes names unique: a repeated name gets a number before its extension. */
export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  take(name: string): string {
    let free = name
    const dot = name.lastIndexOf('.')
    const at = dot > name.lastIndexOf('/') + 1 ? dot : name.length
    for (let next = this.#next.get(name) ?? 2; this.#taken.has(free); next++) {
      free = `${name.slice(0, at)}-${next}${name.slice(at)}`
      this.#next.set(name, next + 1)
    }
    this.#taken.add(free)
    return free
  }
}
