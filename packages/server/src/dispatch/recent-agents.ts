/** Fewer agents that call within this time don't wait for each other. */
const manyAgents = 3
const manyWithinMs = 5_000

/** The agents that called in the last seconds. */
export class RecentAgents {
  /** When they did; the earliest first. */
  readonly #calledAt = new Map<string, number>()

  get areMany(): boolean {
    return this.#calledAt.size >= manyAgents
  }

  add(agentId: string, now: number): void {
    this.#calledAt.delete(agentId)
    this.#calledAt.set(agentId, now)
    for (const [id, at] of this.#calledAt) {
      if (now - at < manyWithinMs) break
      this.#calledAt.delete(id)
    }
  }
}
