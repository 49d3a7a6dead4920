import { ApiError } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'

/** 408 when the wait is over first: the caller is to ask again. */
export async function awaitSession(
  { sessions }: Pick<Deps, 'sessions'>,
  session: { id: string; stopped_at: string | null },
  maxWaitSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  if (session.stopped_at !== null) return
  if (await sessions.wait(session.id, maxWaitSeconds * 1000, signal)) return
  throw new ApiError('session_running', { headers: { 'retry-after': '1' } })
}
