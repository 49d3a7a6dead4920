// Incidents of status pages and of dashboards, and templates for new ones.
import './incidents.css'
import '../status-page/status-page.css'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call, callList } from '../../api/call.ts'
import { type Incident, useDashboards } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { formatList, formatSpan } from '../../core/format.ts'
import { impacts, severities, statusLabels } from '../../core/incident-words.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { useLive } from '../../live/live-provider.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { ButtonLink } from '../../parts/button-link.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment, Since } from '../../parts/time.tsx'
import { UrlTabs } from '../../parts/url-tabs.tsx'
import { PageLinks } from '../status-pages/page-links.tsx'
import { Templates } from './templates.tsx'

export function Screen() {
  const { denialOf } = useSession()
  const [search] = useSearchParameters()
  const isOfDashboards = search.get('tab') === 'dashboards'
  return (
    <ScreenFrame
      title="Incidents"
      actions={
        <ButtonLink
          look="primary"
          href={isOfDashboards ? '/incidents/new?on=dashboard' : '/incidents/new'}
          denial={denialOf('READ_WRITE')}
        >
          Open an incident
        </ButtonLink>
      }
    >
      <PageLinks />
      <UrlTabs
        label="Kinds of incidents"
        tabs={[
          { id: 'pages', label: 'On status pages', content: <PageIncidents /> },
          { id: 'dashboards', label: 'On dashboards', content: <DashboardIncidents /> },
          { id: 'templates', label: 'Templates', content: <Templates /> },
        ]}
      />
    </ScreenFrame>
  )
}

const filters = [
  { id: 'all', label: 'All', isOpen: undefined },
  { id: 'open', label: 'Open', isOpen: true },
  { id: 'resolved', label: 'Resolved', isOpen: false },
]

function PageIncidents() {
  const [search, setSearch] = useSearchParameters()
  const queries = useQueryClient()
  const filter = filters.find(({ id }) => id === search.get('show')) ?? filters[0]
  const isOpen = filter?.isOpen
  const list = useInfiniteQuery({
    queryKey: ['incidents', filter?.id],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v1/status-pages/incidents',
        {
          query: {
            limit: 50,
            ...(pageParam === '' ? {} : { nextId: pageParam }),
            ...(isOpen === undefined ? {} : { isOpen }),
          },
        },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
    refetchOnMount: 'always',
  })
  useLive([], { onRecent: () => void queries.invalidateQueries({ queryKey: ['incidents'] }) })
  const { data, error, refetch } = list
  if (error && data === undefined) return <Failure what="The incidents" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const entries = data.pages.flatMap((page) => page.entries)
  const choose = (id: string) => setSearch(new URLSearchParams(id === 'all' ? {} : { show: id }))
  return (
    <div className="stack">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div className="filter-bar" role="group" aria-label="Which incidents">
        {filters.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            className="chip"
            aria-pressed={id === filter?.id}
            onClick={() => choose(id)}
          >
            {label}
          </button>
        ))}
      </div>
      {entries.length === 0 ? (
        isOpen === undefined ? (
          <Empty title="No incidents yet">
            <p className="muted-text">
              An incident tells visitors of status pages what is wrong, and what you do about it. Checks and
              automation rules can open them too.
            </p>
          </Empty>
        ) : (
          <Empty title={isOpen ? 'No open incident' : 'No resolved incident'}>
            <ActionButton onPress={() => choose('all')}>Show all</ActionButton>
          </Empty>
        )
      ) : (
        <RowKeys>
          <TableBox label="Incidents">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Incident</th>
                  <th scope="col">Status</th>
                  <th scope="col" className="wide-cell">
                    Services
                  </th>
                  <th scope="col" className="wide-cell">
                    Began
                  </th>
                  <th scope="col">Duration</th>
                </tr>
              </thead>
              <tbody>
                {entries.map((incident) => (
                  <IncidentRow key={incident.id} incident={incident} />
                ))}
              </tbody>
            </table>
          </TableBox>
        </RowKeys>
      )}
      {list.hasNextPage && (
        <div>
          <ActionButton onPress={() => list.fetchNextPage()} isPending={list.isFetchingNextPage}>
            Earlier incidents
          </ActionButton>
        </div>
      )}
    </div>
  )
}

function IncidentRow({ incident }: { incident: Incident }) {
  const { id, name, severity, services, lastUpdateStatus, incidentUpdates, duration, created_at } = incident
  const isOver = lastUpdateStatus === 'RESOLVED'
  const began = incidentUpdates.at(-1)?.publicIncidentUpdateDate ?? created_at
  const names = formatList(services.map((service) => service.name))
  return (
    <tr>
      <td>
        <Link href={`/incidents/${id}`} data-row-link>
          {name}
        </Link>
        <br />
        <span className="muted-text">
          {severities[severity].label}
          <span className="phone-only"> · {names}</span>
        </span>
      </td>
      <td className="nowrap">
        <StateLabel
          state={isOver ? 'passing' : severities[severity].state}
          label={statusLabels[lastUpdateStatus]}
        />
      </td>
      <td className="wide-cell">{names}</td>
      <td className="nowrap wide-cell">
        <Moment at={began} />
      </td>
      <td className="nowrap">{duration === null ? <Since at={began} /> : formatSpan(duration)}</td>
    </tr>
  )
}

function DashboardIncidents() {
  const dashboards = useDashboards()
  const list = useInfiniteQuery({
    queryKey: ['dashboard-incidents'],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      callList('GET /v1/incidents', { query: { limit: 50, page: pageParam } }, signal),
    getNextPageParam: ({ total }, _pages, page) => (page * 50 < total ? page + 1 : undefined),
    refetchOnMount: 'always',
  })
  const { data, error, refetch } = list
  if (error && data === undefined) return <Failure what="The incidents" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const entries = data.pages.flatMap((page) => page.entries)
  if (entries.length === 0)
    return (
      <Empty title="No incidents on dashboards yet">
        <p className="muted-text">A dashboard shows its own incidents, if it has the tab for them.</p>
      </Empty>
    )
  const nameOf = (id: number) => dashboards.data?.find((one) => one.id === id)?.header ?? `Dashboard ${id}`
  return (
    <div className="stack">
      <RowKeys>
        <TableBox label="Incidents on dashboards">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Incident</th>
                <th scope="col">Status</th>
                <th scope="col" className="wide-cell">
                  Dashboard
                </th>
                <th scope="col" className="wide-cell">
                  Began
                </th>
                <th scope="col">Duration</th>
              </tr>
            </thead>
            <tbody>
              {entries.map(({ id, name, impact, startedAt, stoppedAt, dashboardId, incidentUpdates }) => (
                <tr key={id}>
                  <td>
                    <Link href={`/incidents/${id}`} data-row-link>
                      {name}
                    </Link>
                  </td>
                  <td className="nowrap">
                    <StateLabel
                      state={stoppedAt === null ? impacts[impact].state : 'passing'}
                      label={statusLabels[incidentUpdates[0]?.status ?? 'INVESTIGATING']}
                    />
                  </td>
                  <td className="wide-cell">{nameOf(dashboardId)}</td>
                  <td className="nowrap wide-cell">
                    <Moment at={startedAt} />
                  </td>
                  <td className="nowrap">
                    {stoppedAt === null ? (
                      <Since at={startedAt} />
                    ) : (
                      formatSpan(Date.parse(stoppedAt) - Date.parse(startedAt))
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      </RowKeys>
      {list.hasNextPage && (
        <div>
          <ActionButton onPress={() => list.fetchNextPage()} isPending={list.isFetchingNextPage}>
            Earlier incidents
          </ActionButton>
        </div>
      )}
    </div>
  )
}
