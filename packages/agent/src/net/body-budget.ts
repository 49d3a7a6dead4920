// One limit for the bodies of all runs in flight: what does not fit waits until others are done.

export interface BodyBudget {
  /** Null when there is room; otherwise a promise that is kept once there is. */
  take(bytes: number): Promise<void> | null
}

export interface BodyShare extends BodyBudget {
  /** Gives back all that was taken, and calls off what still waits. */
  release(): void
}

interface Waiting {
  share: BodyShare
  bytes: number
  proceed: () => void
}

export function bodyBudget(limitBytes: number): { open(): BodyShare; readonly usedBytes: number } {
  let used = 0
  let queue: Waiting[] = []

  function admit() {
    let first = queue[0]
    // One that is larger than the whole limit gets it when it is alone.
    while (first && (used === 0 || used + first.bytes <= limitBytes)) {
      queue.shift()
      used += first.bytes
      first.proceed()
      first = queue[0]
    }
  }

  function open(): BodyShare {
    let mine = 0
    const share: BodyShare = {
      take(bytes) {
        if (queue.length === 0 && (used === 0 || used + bytes <= limitBytes)) {
          used += bytes
          mine += bytes
          return null
        }
        return new Promise((resolve) => {
          const proceed = () => {
            mine += bytes
            resolve()
          }
          queue.push({ share, bytes, proceed })
        })
      },
      release() {
        queue = queue.filter((waiting) => waiting.share !== share)
        used -= mine
        mine = 0
        admit()
      },
    }
    return share
  }

  return {
    open,
    get usedBytes() {
      return used
    },
  }
}
