// Private locations, and their keys while they can be shown.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createStore } from '../core/store.ts'
import { call } from './call.ts'

/** Keys that were issued in this tab, by the id of their location: the server shows a key only once. */
export const issuedKeys = createStore<ReadonlyMap<string, string>>(new Map())

export function rememberKey(locationId: string, key: string): void {
  issuedKeys.set(new Map(issuedKeys.get()).set(locationId, key))
}

/** Null: there is none with this id. */
export function usePrivateLocation(id: string | null) {
  return useQuery({
    queryKey: ['private-location', id],
    queryFn: ({ signal }) => call('GET /v1/private-locations/{id}', { params: { id: id ?? '' } }, signal),
    enabled: id !== null,
  })
}

export function useRefreshLocations(): () => Promise<void> {
  const queries = useQueryClient()
  return () =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [name] }) =>
        ['locations', 'location-statuses', 'location-status', 'private-location'].includes(String(name)),
    })
}
