import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { call } from './call.ts'

/** The names of data-center locations; others have the slug of their private location. */
export function useLocationNames(): (location: string) => string {
  const { data } = useQuery({
    queryKey: ['locations'],
    queryFn: ({ signal }) => call('GET /v1/locations', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return useCallback((location) => data?.find(({ region }) => region === location)?.name ?? location, [data])
}
