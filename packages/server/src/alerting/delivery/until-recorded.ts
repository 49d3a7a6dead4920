// Retries to record an accepted message while the database is unavailable: otherwise it would be sent again.
import { setTimeout as pause } from 'node:timers/promises'

const retryMs = 500
/** Together with the delivery, shorter than a claim: after that, another server may have it. */
const timeoutMs = 30_000

/** Throws the last error after 30 s, or at once if `signal` is aborted. */
export async function untilRecorded(write: () => Promise<void>, signal?: AbortSignal): Promise<void> {
  const until = performance.now() + timeoutMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (signal?.aborted || performance.now() > until) throw error
      await pause(retryMs)
    }
  }
}
