// Whether the store can be reached, for readiness: asked in the background, so that a response never waits for it.

const everyMs = 1_000
const patienceMs = 2_000

export interface StoreProbe {
  /** What the last probe found; false when it has been under way for too long, and after the stop. */
  isReachable(): boolean
  stop(): void
}

export function probeStore(ask: () => Promise<boolean>, now = () => performance.now()): StoreProbe {
  let isReachable = true
  let askedAt: number | null = null
  let isStopped = false
  const probe = async () => {
    if (askedAt !== null) return
    askedAt = now()
    const isFine = await ask().catch(() => false)
    // A late answer is about the past.
    isReachable = isFine && now() - askedAt <= patienceMs
    askedAt = null
  }
  const timer = setInterval(probe, everyMs)
  timer.unref()
  void probe()
  return {
    isReachable: () => !isStopped && isReachable && (askedAt === null || now() - askedAt <= patienceMs),
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
