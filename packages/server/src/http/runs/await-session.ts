// Waits for the end of check and test sessions.
import { ApiError } from '@vedette/contracts'
import type { Deps } from '../transport/deps.ts'

/** Throws a 408 if the session isn't over in time: clients ask again. */
export async function awaitSession(
  { sessions }: Pick<Deps, 'sessions'>,
  session: { id: string; stopped_at: string | null },
  maxWaitSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  if (session.stopped_at !== null) return
  if (!(await sessions.wait(session.id, maxWaitSeconds * 1000, signal))) throw stillRunning()
}

export function finalStatusOf<S extends string>({ status }: { status: string }, final: readonly S[]): S {
  const known = final.find((name) => name === status)
  if (known === undefined) throw stillRunning()
  return known
}

function stillRunning(): ApiError {
  return new ApiError('session_running', { headers: { 'retry-after': '1' } })
}
