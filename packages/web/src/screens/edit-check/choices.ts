// What the fields of a check can be set to: the other resources of the account.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Option } from '../../forms/fields.tsx'

export function useLocations(): Option<string>[] {
  const { data = [] } = useQuery({
    queryKey: ['locations'],
    queryFn: ({ signal }) => call('GET /v1/locations', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data.map(({ region, name }) => ({ value: region, label: name }))
}

export function usePrivateLocations(): Option<string>[] {
  const { data = [] } = useQuery({
    queryKey: ['private-locations', 'choices'],
    queryFn: ({ signal }) => call('GET /v1/private-locations', {}, signal),
  })
  return data.map(({ slugName, name }) => ({ value: slugName, label: name }))
}

export function useRuntimes() {
  const { data = [] } = useQuery({
    queryKey: ['runtimes'],
    queryFn: ({ signal }) => call('GET /v1/runtimes', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

export function useCertificates(): Option<string>[] {
  const { data = [] } = useQuery({
    queryKey: ['client-certificates', 'choices'],
    queryFn: ({ signal }) => call('GET /v1/client-certificates', {}, signal),
  })
  return data.map(({ id, host }) => ({ value: id, label: host }))
}
