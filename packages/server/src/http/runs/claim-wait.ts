// Waits of agents and clients. A claim waits until a run is due in its queues, a run is triggered, or its time is over. It holds
// no database connection, and polls at least twice a second for runs that other servers triggered.
import { EventEmitter, once } from 'node:events'

const pollMs = 500
/** Runs that become due close together are sent together: a response with twenty costs hardly more than one. */
const gatherMs = 100

const triggered = new EventEmitter().setMaxListeners(0)

/** A run was triggered: waiting claims look for it at once. */
export function wakeClaims(): void {
  triggered.emit('runs')
}

/** Resolves early when woken or aborted. `dueInMs`: when the next run is due, if one is known. */
export async function waitForWork(
  dueInMs: number | null,
  remainingMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = Math.max(dueInMs ?? pollMs, gatherMs)
  const ms = Math.min(until, pollMs, remainingMs)
  if (ms <= 0 || signal.aborted) return
  const woken = new AbortController()
  const timer = setTimeout(() => woken.abort(), ms)
  try {
    await once(triggered, 'runs', { signal: AbortSignal.any([signal, woken.signal]) })
  } catch {
    // The time is over, or the agent has disconnected.
  } finally {
    clearTimeout(timer)
  }
}
