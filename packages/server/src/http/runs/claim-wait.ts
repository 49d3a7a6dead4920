// How a claim waits: until something is due in its queues, someone asks for a run, or its time is over. It holds no
// connection meanwhile, and looks again at least twice a second for what other servers were asked.
import { EventEmitter, once } from 'node:events'

const lookAgainMs = 500
/** Runs that come due close to each other go out together: one answer for twenty costs hardly more than for one. */
const gatherMs = 100

const asked = new EventEmitter().setMaxListeners(0)

/** Someone asked for a run: those who wait look at once. */
export function wakeClaims(): void {
  asked.emit('runs')
}

/** Resolves early when woken or aborted. `dueInMs`: when the next run is due, if one is known. */
export async function waitForWork(
  dueInMs: number | null,
  remainingMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = Math.max(dueInMs ?? lookAgainMs, gatherMs)
  const ms = Math.min(until, lookAgainMs, remainingMs)
  if (ms <= 0 || signal.aborted) return
  const woken = new AbortController()
  const timer = setTimeout(() => woken.abort(), ms)
  try {
    await once(asked, 'runs', { signal: AbortSignal.any([signal, woken.signal]) })
  } catch {
    // The time is over, or nobody waits any more.
  } finally {
    clearTimeout(timer)
  }
}
