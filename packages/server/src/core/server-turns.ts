// Which of the servers on one store has a turn. They share the work of their loops and of waiting claims, so that not each of them
// asks the store. A turn of a server that has ended is left out until the others know it.

/** Where a server stands among those that are alive, the oldest first. */
export interface ServerRank {
  rank: number
  count: number
}

export class ServerTurns {
  readonly #now: () => number
  #own: ServerRank = { rank: 0, count: 1 }

  constructor(now: () => number) {
    this.#now = now
  }

  update(own: ServerRank): void {
    this.#own = own
  }

  /** Whether this server has the present turn of work that is done once in every period. */
  isOwn(periodMs: number): boolean {
    return this.#before(Math.floor(this.#now() / periodMs)) === 0
  }

  /** The share of the servers that come before this one at what has this name: 0 for the first. */
  shareBefore(name: string): number {
    let hash = 0
    for (let index = 0; index < name.length; index++) hash = (31 * hash + name.charCodeAt(index)) >>> 0
    return this.#before(hash) / this.#own.count
  }

  #before(turn: number): number {
    const { rank, count } = this.#own
    return (rank + count - (turn % count)) % count
  }
}
