import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

/** `renewMs`: how often it is read again. */
export function useLocationStatus(location: string, renewMs: number | false = false) {
  return useQuery({
    queryKey: ['location-status', location],
    queryFn: ({ signal }) => call('GET /v1/location-statuses/{location}', { params: { location } }, signal),
    refetchInterval: renewMs,
    // Never the data of another location.
    placeholderData: undefined,
  })
}
