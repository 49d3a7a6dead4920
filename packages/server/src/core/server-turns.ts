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
    return this.#has(Math.floor(this.#now() / periodMs))
  }

  /** Whether what has this name belongs to this server. */
  owns(name: string): boolean {
    let hash = 0
    for (let index = 0; index < name.length; index++) hash = (31 * hash + name.charCodeAt(index)) >>> 0
    return this.#has(hash)
  }

  #has(turn: number): boolean {
    return turn % this.#own.count === this.#own.rank
  }
}
