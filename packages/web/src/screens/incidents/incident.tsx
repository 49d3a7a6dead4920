// One incident: what visitors have read, and the next update. Ids of both kinds of incidents are here.
import './incidents.css'
import { useQuery } from '@tanstack/react-query'
import { CallError, call } from '../../api/call.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { DashboardIncidentView } from './dashboard-incident-view.tsx'
import { PageIncidentView } from './page-incident-view.tsx'

export function Screen({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['incident', id],
    queryFn: async ({ signal }) => {
      try {
        const incident = await call(
          'GET /v1/status-pages/incidents/{incidentId}',
          { params: { incidentId: id } },
          signal,
        )
        return { kind: 'page' as const, incident }
      } catch (problem) {
        if (!(problem instanceof CallError) || problem.status !== 404) throw problem
        const incident = await call(
          'GET /v1/incidents/{id}',
          { params: { id }, query: { includeAllIncidentUpdates: true } },
          signal,
        )
        return { kind: 'dashboard' as const, incident }
      }
    },
    refetchOnMount: 'always',
  })
  if (data?.kind === 'page') return <PageIncidentView incident={data.incident} onChange={refetch} />
  if (data?.kind === 'dashboard') return <DashboardIncidentView incident={data.incident} onChange={refetch} />
  if (isNotFound(error)) return <NotFound what="This incident" resourceId={id} />
  return (
    <ScreenFrame title="Incident">
      {error ? <Failure what="The incident" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}
