export interface Semaphore {
  /** Returns the function that releases the permit, or null if none became free in time. */
  acquire(): Promise<(() => void) | null>
}

/** Waiters get permits in the order in which they asked. */
export function openSemaphore(permits: number, longestWaitMs: number): Semaphore {
  const waiting = new Set<() => void>()
  let free = permits

  function createRelease(): () => void {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const [next] = waiting
      if (next) next()
      else free += 1
    }
  }

  return {
    acquire() {
      if (free > 0) {
        free -= 1
        return Promise.resolve(createRelease())
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(null), longestWaitMs)
        const onTurn = () => settle(createRelease())
        function settle(release: (() => void) | null) {
          clearTimeout(timer)
          waiting.delete(onTurn)
          resolve(release)
        }
        waiting.add(onTurn)
      })
    },
  }
}
