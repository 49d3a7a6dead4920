// What can be done with a check from a list or its own screen.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CallError, call } from './call.ts'

/** Long enough for a browser check with retries. */
const longestRunMs = 10 * 60_000

/** Ends when the run has ended. */
export function useRunNow(checkId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const { sessions } = await call('POST /v2/check-sessions/trigger', {
        body: { target: { checkId: [checkId] } },
      })
      const id = sessions[0]?.checkSessionId
      if (id === undefined)
        throw new Error('It can’t be run: it is paused, a heartbeat monitor, or without a location.')
      return awaitSession(id)
    },
    onSettled: () => refreshCheck(queries, checkId),
  })
}

async function awaitSession(checkSessionId: string) {
  for (const end = Date.now() + longestRunMs; Date.now() < end; ) {
    try {
      return await call('GET /v2/check-sessions/{checkSessionId}/completion', { params: { checkSessionId } })
    } catch (error) {
      // 408: it still runs.
      if (!(error instanceof CallError) || error.status !== 408) throw error
    }
  }
  throw new Error('The run takes longer than ten minutes. Its result appears in the list when it has ended.')
}

/** Changes one field of a check. */
export function useCheckChange(checkId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { muted?: boolean; mutedUntil?: string | null; activated?: boolean }) =>
      call('PUT /v1/checks/{id}', { params: { id: checkId }, body }),
    onSettled: () => refreshCheck(queries, checkId),
  })
}

function refreshCheck(queries: ReturnType<typeof useQueryClient>, checkId: string) {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [name, id] }) =>
      name === 'overview' || name === 'overview-checks' || id === checkId,
  })
}
