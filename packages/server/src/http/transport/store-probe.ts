// Probes the database in the background, so that a readiness response never waits for it.

const everyMs = 1_000
/**
 * As long as requests wait for a connection. A slow database is busy, not absent: with 2 s, three servers on an overloaded machine left
 * their balancer together, which then refused what they would have served.
 */
const timeoutMs = 10_000

export interface StoreProbe {
  /** The result of the last probe; false if a probe takes too long, and after `stop`. */
  isReachable(): boolean
  /** The server is about to stop. */
  isStopped(): boolean
  stop(): void
}

export function probeStore(query: () => Promise<boolean>, now = () => performance.now()): StoreProbe {
  let isReachable = true
  let startedAt: number | null = null
  let isStopped = false
  const probe = async () => {
    if (startedAt !== null) return
    startedAt = now()
    const isFine = await query().catch(() => false)
    // A late reply says nothing about now.
    isReachable = isFine && now() - startedAt <= timeoutMs
    startedAt = null
  }
  const timer = setInterval(probe, everyMs)
  timer.unref()
  void probe()
  return {
    isReachable: () => !isStopped && isReachable && (startedAt === null || now() - startedAt <= timeoutMs),
    isStopped: () => isStopped,
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
