// What was taken must not be forgotten because the store is away for a moment: it would be sent again.
import { setTimeout as pause } from 'node:timers/promises'

const againMs = 500
/** Together with a call, less than a claim: after that, another server may have it. */
const patienceMs = 30_000

/** Tries to write until it is written; throws what is wrong after half a minute, or at once where `signal` says so. */
export async function untilRecorded(write: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (signal?.aborted || performance.now() > until) throw error
      await pause(againMs)
    }
  }
}
