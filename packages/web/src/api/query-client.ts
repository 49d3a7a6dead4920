// How data is fetched, kept and retried.
import { keepPreviousData, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from './call.ts'
import { sessionEnded } from './connection.ts'

const maxRetries = 3

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: watchSession }),
  mutationCache: new MutationCache({ onError: watchSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 10 * 60_000,
      // Old data stays while new data is loaded.
      placeholderData: keepPreviousData,
      retry: (count, error) => count < maxRetries && isTemporary(error),
      retryDelay: (count) => Math.min(1000 * 2 ** count, 10_000),
    },
  },
})

function watchSession(error: Error): void {
  if (error instanceof CallError && error.status === 401) sessionEnded.set(true)
}

/** Worth another try: no response, a restart, an outage. */
function isTemporary(error: Error): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 500)
}
