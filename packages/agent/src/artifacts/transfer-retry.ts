// Files on their way between agent and server: again after a while until it works, until it can't, or until time is up.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerError } from '../connection/server-exchange.ts'
import { createBackoff } from '../core/backoff.ts'

/** `onFailed`: what was wrong with a try that is followed by another. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onFailed?: (error: Error) => void,
): Promise<T> {
  const backoff = createBackoff({ firstMs: 500, maxMs: 15_000 })
  for (;;) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error
      onFailed?.(error as Error)
    }
    await sleep(backoff.next(), undefined, { signal })
  }
}

/** Said by this machine: no server can help it. */
const ownTrouble = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE'])

function isPassing(error: unknown): boolean {
  if (!(error instanceof ServerError)) return false
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (error.status === null && ownTrouble.has(code ?? '')) return false
  return error.isTransient || error.status === 429
}
