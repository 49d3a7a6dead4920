// Files on their way between agent and server: again after a while until it works, until it can't, or until time is up.
import { setTimeout as sleep } from 'node:timers/promises'
import { createBackoff } from '../backoff.ts'
import { ServerError } from '../server-exchange.ts'

export async function withRetries<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const backoff = createBackoff({ firstMs: 500, maxMs: 15_000 })
  for (;;) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      const isPassing = error instanceof ServerError && (error.isPassing || error.status === 429)
      if (signal.aborted || !isPassing) throw error
    }
    await sleep(backoff.next(), undefined, { signal })
  }
}
