// Pings of a heartbeat monitor: on time, late, missed.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import type { StateName } from '../../core/states.ts'
import { PingCommands } from '../../parts/ping-commands.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'

const labels: Record<
  'FAILING' | 'EARLY' | 'RECEIVED' | 'GRACE' | 'LATE',
  { state: StateName; label: string }
> = {
  EARLY: { state: 'passing', label: 'Early' },
  RECEIVED: { state: 'passing', label: 'On time' },
  GRACE: { state: 'degraded', label: 'In the grace time' },
  LATE: { state: 'degraded', label: 'Late' },
  FAILING: { state: 'failing', label: 'Missed' },
}

export function HeartbeatOverview({ check }: { check: Check }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['heartbeat-events', check.id],
    queryFn: ({ signal }) =>
      call('GET /v1/checks/heartbeats/{checkId}/events', { params: { checkId: check.id } }, signal),
  })
  const events = data?.[0]?.events
  const url = check.checkType === 'HEARTBEAT' ? check.heartbeat.pingUrl : undefined
  return (
    <div className="stack">
      {url && (
        <section className="panel" aria-label="Ping URL">
          <h2>Send pings</h2>
          <PingCommands url={url} />
        </section>
      )}
      {error && data === undefined && <Failure what="The pings" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad />}
      {events?.length === 0 && (
        <Empty title="No pings yet">
          <p className="muted-text">Call the URL at the end of your job.</p>
        </Empty>
      )}
      {events !== undefined && events.length > 0 && (
        <TableBox label="Pings">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Ping</th>
                <th scope="col">Time</th>
                <th scope="col">Source</th>
              </tr>
            </thead>
            <tbody>
              {events.map(({ id, state, timestamp, source, userAgent }) => (
                <tr key={id}>
                  <td>
                    <StateLabel {...labels[state]} />
                  </td>
                  <td className="nowrap">
                    <Moment at={timestamp} />
                  </td>
                  <td className="reason-cell">{source ?? userAgent ?? ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </div>
  )
}
