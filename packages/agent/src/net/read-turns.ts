// Large bodies are read in turns, a limited number of chunks per iteration of the event loop, so that fast or highly
// compressed bodies don't block other runs.

export interface ReadTurns {
  /** Calls `proceed` in one of the next iterations. `isBehindOthers`: not in the next one. */
  wait(proceed: () => void): { cancel(): void; isBehindOthers: boolean }
}

export function readTurns(perTurn: number): ReadTurns {
  const queue = new Set<() => void>()
  let isScheduled = false
  const turn = () => {
    isScheduled = false
    let left = perTurn
    for (const proceed of queue) {
      if (left-- === 0) break
      queue.delete(proceed)
      proceed()
    }
    schedule()
  }
  const schedule = () => {
    if (isScheduled || queue.size === 0) return
    isScheduled = true
    setImmediate(turn)
  }
  return {
    wait(proceed) {
      const isBehindOthers = queue.size >= perTurn
      const entry = () => proceed()
      queue.add(entry)
      schedule()
      return { cancel: () => void queue.delete(entry), isBehindOthers }
    },
  }
}
