import { useQuery } from '@tanstack/react-query'
import { call, callList, type ResponseTo } from '../../api/call.ts'

export type Window = ResponseTo<'GET /v1/maintenance-windows/{id}'>
export type Occurrence = ResponseTo<'GET /v1/maintenance-windows/occurrences'>[number]

export const windowsKey = ['maintenance-windows']
const pageSize = 100
const maxPages = 10

export function useWindows() {
  return useQuery({
    queryKey: [...windowsKey, 'list'],
    queryFn: async ({ signal }) => {
      const windows: Window[] = []
      for (let page = 1; page <= maxPages; page += 1) {
        const query = { limit: pageSize, page }
        const { entries, total } = await callList('GET /v1/maintenance-windows', { query }, signal)
        windows.push(...entries)
        if (windows.length >= total) break
      }
      return windows
    },
  })
}

/** Seconds. */
export function useOccurrences(range: { from: number; to: number }) {
  return useQuery({
    queryKey: [...windowsKey, 'occurrences', range],
    queryFn: ({ signal }) => call('GET /v1/maintenance-windows/occurrences', { query: range }, signal),
  })
}
