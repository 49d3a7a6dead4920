// Retries of file transfers between agent and server.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '@vedette/safeguards/errors'
import { ServerError } from '../connection/server-exchange.ts'
import { createBackoff } from '../core/backoff.ts'

/** `onFailed`: called for each failed attempt that is followed by another. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  onFailed?: (error: ServerError) => void,
): Promise<T> {
  const backoff = createBackoff({ firstMs: 500, maxMs: 15_000 })
  for (;;) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      if (signal.aborted || !(error instanceof ServerError) || !isTransient(error)) throw error
      onFailed?.(error)
    }
    await sleep(backoff.next(), undefined, { signal })
  }
}

/** Errors of this machine, which no other server can help. */
const localErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE'])

function isTransient(error: ServerError): boolean {
  if (error.status === null && localErrors.has(errorCode(error.cause) ?? '')) return false
  return error.isTransient || error.status === 429
}
