// What several screens about public pages ask for.
import { useQuery } from '@tanstack/react-query'
import { call, callList, type ResponseTo } from './call.ts'

export type StatusPage = ResponseTo<'GET /v1/status-pages/{statusPageId}'>
export type PageComponent = StatusPage['components'][number]
export type Service = ResponseTo<'GET /v1/status-pages/services/{serviceId}'>
export type ServiceUsage = ResponseTo<'GET /v1/status-pages/service-usage'>[number]
export type Incident = ResponseTo<'GET /v1/status-pages/incidents/{incidentId}'>
export type IncidentTemplate = ResponseTo<'GET /v1/status-pages/incident-templates'>[number]
export type DashboardIncident = ResponseTo<'GET /v1/incidents/{id}'>
export type Dashboard = ResponseTo<'GET /v1/dashboards/{dashboardId}'>

interface CursorPage<T> {
  entries: T[]
  nextId: string | null
}

/** More than anyone manages by hand. */
const maxPages = 20

async function readAll<T>(read: (nextId: string | undefined) => Promise<CursorPage<T>>): Promise<T[]> {
  const all: T[] = []
  let nextId: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const { entries, nextId: next } = await read(nextId)
    all.push(...entries)
    if (next === null) break
    nextId = next
  }
  return all
}

const afterOf = (nextId: string | undefined) => (nextId === undefined ? {} : { nextId })

export function useServices() {
  return useQuery({
    queryKey: ['services'],
    queryFn: async ({ signal }) => {
      const all = await readAll<Service>((nextId) =>
        call('GET /v1/status-pages/services', { query: { limit: 100, ...afterOf(nextId) } }, signal),
      )
      return all.sort((one, other) => one.name.localeCompare(other.name))
    },
  })
}

export function useServiceUsage() {
  return useQuery({
    queryKey: ['service-usage'],
    queryFn: ({ signal }) => call('GET /v1/status-pages/service-usage', {}, signal),
  })
}

export function useStatusPages() {
  return useQuery({
    queryKey: ['status-pages'],
    queryFn: ({ signal }) =>
      readAll<StatusPage>((nextId) =>
        call('GET /v1/status-pages', { query: { limit: 50, ...afterOf(nextId) } }, signal),
      ),
  })
}

export function useTemplates() {
  return useQuery({
    queryKey: ['incident-templates'],
    queryFn: ({ signal }) => call('GET /v1/status-pages/incident-templates', {}, signal),
  })
}

export function useDashboards() {
  return useQuery({
    queryKey: ['dashboards'],
    queryFn: async ({ signal }) => {
      const all: Dashboard[] = []
      for (let page = 1; page <= maxPages; page++) {
        const { entries, total } = await callList(
          'GET /v1/dashboards',
          { query: { limit: 100, page } },
          signal,
        )
        all.push(...entries)
        if (all.length >= total || entries.length === 0) break
      }
      return all
    },
  })
}
