import { useQuery } from '@tanstack/react-query'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { loadAll } from '../../api/load-all.ts'

export type Window = ResponseTo<'GET /v1/maintenance-windows/{id}'>
export type Occurrence = ResponseTo<'GET /v1/maintenance-windows/occurrences'>[number]

export const windowsKey = ['maintenance-windows']

export function useWindows() {
  return useQuery({
    queryKey: [...windowsKey, 'list'],
    queryFn: ({ signal }) =>
      loadAll((page) => callList('GET /v1/maintenance-windows', { query: { limit: 100, page } }, signal)),
  })
}

/** Seconds. */
export function useOccurrences(range: { from: number; to: number }) {
  return useQuery({
    queryKey: [...windowsKey, 'occurrences', range],
    queryFn: ({ signal }) => call('GET /v1/maintenance-windows/occurrences', { query: range }, signal),
  })
}
