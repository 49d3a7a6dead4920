// What several screens about public pages ask for.
import { useQuery } from '@tanstack/react-query'
import { call, callList, type ResponseTo } from './call.ts'
import { byName } from './lists.ts'
import { loadAll, loadAllByCursor } from './load-all.ts'

export type StatusPage = ResponseTo<'GET /v1/status-pages/{statusPageId}'>
export type PageComponent = StatusPage['components'][number]
export type Service = ResponseTo<'GET /v1/status-pages/services/{serviceId}'>
export type ServiceUsage = ResponseTo<'GET /v1/status-pages/service-usage'>[number]
export type Incident = ResponseTo<'GET /v1/status-pages/incidents/{incidentId}'>
export type IncidentTemplate = ResponseTo<'GET /v1/status-pages/incident-templates'>[number]
export type DashboardIncident = ResponseTo<'GET /v1/incidents/{id}'>
export type Dashboard = ResponseTo<'GET /v1/dashboards/{dashboardId}'>

export function useServices({ isNeeded = true } = {}) {
  return useQuery({
    enabled: isNeeded,
    queryKey: ['services'],
    queryFn: async ({ signal }) => {
      const all = await loadAllByCursor((after) =>
        call('GET /v1/status-pages/services', { query: { limit: 100, ...after } }, signal),
      )
      return all.sort(byName)
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
      loadAllByCursor((after) => call('GET /v1/status-pages', { query: { limit: 50, ...after } }, signal)),
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
    queryFn: ({ signal }) =>
      loadAll((page) => callList('GET /v1/dashboards', { query: { limit: 100, page } }, signal)),
  })
}
