// So many at once; the rest wait in line, but not forever.

export interface Lanes {
  /** What is to be called on the way out; null after too long a wait. */
  enter(): Promise<(() => void) | null>
}

export function openLanes(count: number, longestWaitMs: number): Lanes {
  const waiting = new Set<() => void>()
  let free = count

  function leave() {
    const [next] = waiting
    if (next) next()
    else free += 1
  }

  /** Each way out can be taken once. */
  function wayOut(): () => void {
    let isOut = false
    return () => {
      if (!isOut) leave()
      isOut = true
    }
  }

  return {
    enter() {
      if (free > 0) {
        free -= 1
        return Promise.resolve(wayOut())
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => settle(null), longestWaitMs)
        const onTurn = () => settle(wayOut())
        function settle(entered: (() => void) | null) {
          clearTimeout(timer)
          waiting.delete(onTurn)
          resolve(entered)
        }
        waiting.add(onTurn)
      })
    },
  }
}
