// What the fields of a check can be set to: the other resources of the account.
import { useQuery } from '@tanstack/react-query'
import { call, callList } from '../../api/call.ts'
import type { Option } from '../../forms/fields.tsx'

const many = { query: { limit: 100, page: 1 } }

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

export function useChannels(): Option<number>[] {
  const { data = [] } = useQuery({
    queryKey: ['alert-channels', 'choices'],
    queryFn: async ({ signal }) => (await callList('GET /v1/alert-channels', many, signal)).entries,
  })
  return data.map(({ id, type, config }) => ({ value: id, label: channelLabel(type, config) }))
}

function channelLabel(type: string, config: object): string {
  const values = new Map<string, unknown>(Object.entries(config))
  const name = ['name', 'address', 'serviceName', 'channel', 'number', 'url']
    .map((key) => values.get(key))
    .find((value) => typeof value === 'string' && value !== '')
  return `${type.charAt(0)}${type.slice(1).toLowerCase().replaceAll('_', ' ')}${name === undefined ? '' : `: ${String(name)}`}`
}

export function useGroups(): Option<number>[] {
  const { data = [] } = useQuery({
    queryKey: ['check-groups', 'choices'],
    queryFn: async ({ signal }) => (await callList('GET /v1/check-groups', many, signal)).entries,
  })
  return data.map(({ id, name }) => ({ value: id, label: name }))
}

export function useSnippets(): Option<number>[] {
  const { data = [] } = useQuery({
    queryKey: ['snippets', 'choices'],
    queryFn: async ({ signal }) => (await callList('GET /v1/snippets', many, signal)).entries,
  })
  return data.map(({ id, name }) => ({ value: id, label: name }))
}

export function useRuntimes() {
  const { data = [] } = useQuery({
    queryKey: ['runtimes'],
    queryFn: ({ signal }) => call('GET /v1/runtimes', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

export function useServices(): Option<string>[] {
  const { data } = useQuery({
    queryKey: ['services', 'choices'],
    queryFn: ({ signal }) => call('GET /v1/status-pages/services', { query: { limit: 100 } }, signal),
  })
  return (data?.entries ?? []).map(({ id, name }) => ({ value: id, label: name }))
}

export function useCertificates(): Option<string>[] {
  const { data = [] } = useQuery({
    queryKey: ['client-certificates', 'choices'],
    queryFn: ({ signal }) => call('GET /v1/client-certificates', {}, signal),
  })
  return data.map(({ id, host }) => ({ value: id, label: host }))
}
