import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/** With the last run that passed before. */
export function useComparison(checkId: string, checkResultId: string, isWanted = true) {
  return useQuery({
    queryKey: ['comparison', checkId, checkResultId],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/check-results/{checkId}/{checkResultId}/comparison',
        { params: { checkId, checkResultId } },
        signal,
      ),
    enabled: isWanted,
    staleTime: 5 * 60_000,
  })
}
