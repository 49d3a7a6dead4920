import type { LocationStatus } from '../../api/types.ts'
import { formatList } from '../../core/format.ts'
import { typeLabels } from '../../core/states.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { RelativeTime, Since } from '../../parts/time.tsx'

type Agent = LocationStatus['agents'][number]

const states = {
  running: { state: 'passing', label: 'Connected' },
  draining: { state: 'maintenance', label: 'Ending' },
  gone: { state: 'inactive', label: 'Gone' },
} as const

export function AgentTable({ agents }: { agents: readonly Agent[] }) {
  return (
    <TableBox label="Agents">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Agent</th>
            <th scope="col">Version</th>
            <th scope="col">Last seen</th>
            <th scope="col">Can run</th>
            <th scope="col">In use</th>
            <th scope="col">Isolation of code</th>
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent.id}>
              <td className="nowrap">
                <StateLabel {...states[agent.state]} />
              </td>
              <td>{agent.kind === 'built-in' ? 'Built into the server' : (agent.name ?? agent.id)}</td>
              <td className="nowrap">
                {agent.version}
                {agent.isOutdated && <span className="degraded"> outdated</span>}
              </td>
              <td className="nowrap">
                {agent.state === 'gone' ? (
                  <RelativeTime at={agent.lastSeenAt} />
                ) : (
                  <>
                    Now, up <Since at={agent.startedAt} />
                  </>
                )}
              </td>
              <td className="type-list" title={agent.checkTypes.map((type) => typeLabels[type]).join(', ')}>
                {formatList(
                  agent.checkTypes.map((type) => typeLabels[type]),
                  6,
                )}
              </td>
              <td className="nowrap">{loadOf(agent)}</td>
              <td>{isolationOf(agent)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  )
}

function loadOf({ slots, running, state }: Agent): string {
  if (slots === null || running === null || state === 'gone') return '–'
  return `${running.network} of ${slots.network} network, ${running.code} of ${slots.code} code`
}

const isolationNames: Record<NonNullable<Agent['isolation']>, string> = {
  strong: 'Strong',
  'same-user': 'Isolated, as the agent’s user',
  fallback: 'Fallback: run only code you trust',
}

function isolationOf({ isolation, network }: Agent): string {
  const level = isolation === null ? '–' : isolationNames[isolation]
  return network === 'public' ? `${level}; public targets only` : level
}
