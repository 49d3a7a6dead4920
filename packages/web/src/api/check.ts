import { useQuery } from '@tanstack/react-query'
import { call } from './call.ts'

export function useCheck(id: string) {
  return useQuery({
    queryKey: ['check', id],
    queryFn: ({ signal }) => call('GET /v1/checks/{id}', { params: { id } }, signal),
  })
}
