// Where checks run: private locations and data centers, with their agents.
import './locations.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import type { LocationStatus } from '../../api/types.ts'
import { formatCount, formatDuration, formatNumberOf } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { connectedAgents, stateOfLocation } from './location-words.ts'
import { NewLocationLink } from './new-location-link.tsx'

const renewMs = 5_000

export function Screen() {
  const { data, error, refetch } = useQuery({
    queryKey: ['location-statuses'],
    queryFn: ({ signal }) => call('GET /v1/location-statuses', {}, signal),
    refetchInterval: renewMs,
  })
  const { denialOf } = useSession()
  const [isWhole, setWhole] = useState(false)
  const privateOnes = data?.filter(({ privateLocationId }) => privateLocationId !== null) ?? []
  const regions = data?.filter(({ privateLocationId }) => privateLocationId === null) ?? []
  const used = regions.filter(
    ({ checkCount, agents, alarm }) =>
      checkCount > 0 || alarm !== null || agents.some(({ kind }) => kind === 'operator'),
  )
  const shown = isWhole ? regions : used
  return (
    <ScreenFrame title="Locations" actions={<NewLocationLink denial={denialOf('ADMIN')} />}>
      {error && data === undefined && <Failure what="The locations" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad />}
      {data !== undefined && (
        <>
          <section aria-labelledby="private">
            <h2 id="private">Private locations</h2>
            {privateOnes.length === 0 ? (
              <Empty title="No private locations yet">
                <p className="muted-text">
                  An agent in your own network runs checks of what the internet can’t reach. It calls this
                  server and needs no open port.
                </p>
                <NewLocationLink denial={denialOf('ADMIN')} />
              </Empty>
            ) : (
              <LocationTable label="Private locations" locations={privateOnes} />
            )}
          </section>
          <section aria-labelledby="regions">
            <h2 id="regions">Data-center locations</h2>
            {shown.length > 0 ? (
              <LocationTable label="Data-center locations" locations={shown} />
            ) : (
              <p className="muted-text">No check uses one.</p>
            )}
            {regions.length > used.length && (
              <ActionButton look="quiet" onPress={() => setWhole(!isWhole)}>
                {isWhole ? 'Show only those in use' : `Show all ${regions.length}`}
              </ActionButton>
            )}
          </section>
        </>
      )}
    </ScreenFrame>
  )
}

function LocationTable({ label, locations }: { label: string; locations: readonly LocationStatus[] }) {
  return (
    <RowKeys>
      <TableBox label={label}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Location</th>
              <th scope="col">Agents</th>
              <th scope="col" className="num">
                Checks
              </th>
              <th scope="col" className="num">
                Start lag, p95
              </th>
              <th scope="col" className="num">
                Waiting
              </th>
            </tr>
          </thead>
          <tbody>
            {locations.map((location) => (
              <Row key={location.location} location={location} />
            ))}
          </tbody>
        </table>
      </TableBox>
    </RowKeys>
  )
}

function Row({ location }: { location: LocationStatus }) {
  const { state, label } = stateOfLocation(location)
  const { location: slug, name, checkCount, lag, waiting } = location
  return (
    <tr>
      <td className="nowrap">
        <StateLabel state={state} label={label} />
      </td>
      <td>
        <Link href={`/locations/${slug}`} data-row-link="">
          {name}
        </Link>{' '}
        <span className="muted-text mono">{slug}</span>
      </td>
      <td>{agentsInWords(location)}</td>
      <td className="num">{formatCount(checkCount)}</td>
      <td className="num">{lag === null ? '–' : formatDuration(lag.p95)}</td>
      <td className="num">
        {waiting.runs === 0 ? '0' : `${formatCount(waiting.runs)}, for ${formatDuration(waiting.oldestMs)}`}
      </td>
    </tr>
  )
}

function agentsInWords(location: LocationStatus): string {
  const connected = connectedAgents(location)
  if (connected.length === 0) return '–'
  if (connected.every(({ kind }) => kind === 'built-in')) return 'Built into the server'
  const names = connected.flatMap(({ name }) => name ?? [])
  return names.length === connected.length && names.length <= 3
    ? names.join(', ')
    : formatNumberOf(connected.length, 'agent')
}
