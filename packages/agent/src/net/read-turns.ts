// Large bodies are read in turns, a chunk each, so many per turn of the event loop: whatever comes as fast as this
// machine can take it, or explodes when it is inflated, leaves the event loop and the thread pool to other runs.

export interface ReadTurns {
  /** Proceeds in one of the next turns. Returns a function that cancels it, and whether others stand in front. */
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
