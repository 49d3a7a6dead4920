// One check, run now in all its locations. Its results are results of the check.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { formatDuration } from '../../core/format.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { Icon } from '../../parts/icon.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'
import { SessionFrame, type SessionProps } from './session-frame.tsx'
import { sourceLabels } from './session-state.tsx'

const pollMs = 1_000

export function CheckSession({ session, onChange }: SessionProps) {
  const { id, checkId, runSource, state } = session
  const nameOf = useLocationNames()
  const { data, error, refetch } = useQuery({
    // Read once more when it is over.
    queryKey: ['check-session', id, state === 'running'],
    queryFn: ({ signal }) =>
      call('GET /v2/check-sessions/{checkSessionId}', { params: { checkSessionId: id } }, signal),
    refetchInterval: state === 'running' ? pollMs : false,
  })
  const rerun = async () => {
    const { sessions } = await call('POST /v2/check-sessions/trigger', {
      body: { target: { checkId: [checkId ?? ''] } },
    })
    const newId = sessions[0]?.checkSessionId
    if (newId === undefined) throw new Error('The check can’t be run: it is paused or has no location.')
    return newId
  }
  const ended = new Set(
    data?.results.filter(({ resultType }) => resultType === 'FINAL').map(({ runLocation }) => runLocation),
  )
  const waiting =
    data?.status.startsWith('PROGRESS') || data?.status === 'STARTED'
      ? data.runLocations.filter((location) => !ended.has(location))
      : []
  return (
    <SessionFrame session={session} onChange={onChange} rerun={rerun} rerunDenial={null}>
      <p className="muted-text">
        Of the check <Link href={`/checks/${checkId}`}>{session.name}</Link>
        {runSource && `, started by ${sourceLabels[runSource]}`}
        {session.environment && `, for ${session.environment}`}.{' '}
        <Link href={`/checks/${checkId}?tab=errors`}>Errors of this check</Link> ·{' '}
        <Link href={`/sessions?checkId=${checkId}`}>All its sessions</Link>
      </p>
      {error && data === undefined && <Failure what="The results" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad rows={3} />}
      {data && (
        <TableBox label="Results">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Outcome</th>
                <th scope="col">Location</th>
                <th scope="col">Agent</th>
                <th scope="col">Started</th>
                <th scope="col" className="num">
                  Duration
                </th>
              </tr>
            </thead>
            <tbody>
              {waiting.map((location) => (
                <tr key={location}>
                  <td>
                    <span className="state running">
                      <Icon name="run" />
                      Waiting or running
                    </span>
                  </td>
                  <td>{nameOf(location)}</td>
                  <td>–</td>
                  <td>–</td>
                  <td className="num">–</td>
                </tr>
              ))}
              {data.results.map((result) => {
                const { state: outcome, label } = outcomeOf(result)
                return (
                  <tr key={result.checkResultId}>
                    <td className="nowrap">
                      <Link href={`/checks/${result.checkId}/results/${result.checkResultId}`}>
                        <StateLabel state={outcome} label={label} />
                      </Link>
                      {result.resultType === 'ATTEMPT' && <span className="muted-text">, retried</span>}
                    </td>
                    <td>{nameOf(result.runLocation)}</td>
                    <td>{agentNameOf(result.ranAt ?? null)}</td>
                    <td className="nowrap">{result.startedAt && <Moment at={result.startedAt} />}</td>
                    <td className="num">{result.responseTime ? formatDuration(result.responseTime) : '–'}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </TableBox>
      )}
    </SessionFrame>
  )
}

function agentNameOf(ranAt: { isBuiltIn: boolean; agentName: string | null } | null): string {
  if (ranAt === null) return '–'
  return ranAt.isBuiltIn ? 'Built-in agent' : (ranAt.agentName ?? '–')
}
