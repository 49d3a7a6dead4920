// Groups and snippets, all of them: forms and filters choose from them.
import { useQuery } from '@tanstack/react-query'
import { callList } from './call.ts'
import { loadAll } from './load-all.ts'

/** By name, as people look for them. */
export function byName(one: { name: string }, other: { name: string }): number {
  return one.name.localeCompare(other.name)
}

export function useGroups() {
  return useQuery({
    queryKey: ['check-groups'],
    queryFn: async ({ signal }) =>
      (
        await loadAll((page) => callList('GET /v1/check-groups', { query: { limit: 100, page } }, signal))
      ).sort(byName),
  })
}

export function useSnippets() {
  return useQuery({
    queryKey: ['snippets'],
    queryFn: async ({ signal }) =>
      (await loadAll((page) => callList('GET /v1/snippets', { query: { limit: 100, page } }, signal))).sort(
        byName,
      ),
  })
}
