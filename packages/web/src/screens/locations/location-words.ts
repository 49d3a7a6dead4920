// The state of a location in words.
import type { LocationStatus } from '../../api/types.ts'
import { formatNumberOf } from '../../core/format.ts'
import type { StateName } from '../../core/states.ts'

export function connectedAgents({ agents }: Pick<LocationStatus, 'agents'>) {
  return agents.filter(({ state }) => state === 'running')
}

interface LocationState {
  state: StateName
  label: string
  /** What it means, in a sentence. */
  sentence: string
}

export function stateOfLocation(location: LocationStatus): LocationState {
  const { alarm, checkCount, waiting } = location
  const connected = connectedAgents(location)
  const checks = formatNumberOf(checkCount, 'check')
  if (connected.length === 0) {
    const isPrivate = location.privateLocationId !== null
    if (checkCount === 0)
      return {
        state: 'inactive',
        label: 'No agent',
        sentence: isPrivate
          ? 'No agent is connected, and no check runs here yet.'
          : 'No agent serves this location, and no check uses it.',
      }
    const verb = checkCount === 1 ? 'doesn’t' : 'don’t'
    return {
      state: 'failing',
      label: 'No agent',
      sentence: `No agent is connected: ${checks} ${verb} run here. Start one.`,
    }
  }
  const agents = `${formatNumberOf(connected.length, 'agent')} connected`
  if (alarm !== null || waiting.oldestMs > overdueMs)
    return { state: 'degraded', label: 'Runs wait', sentence: `${agents}, but ${reasonOf(location)}.` }
  return {
    state: 'passing',
    label: 'Connected',
    sentence: `${agents}, ${checks} run${checkCount === 1 ? 's' : ''} here.`,
  }
}

/** A minute is what claims, a busy agent and a restart take together. */
const overdueMs = 60_000

function reasonOf({ alarm, waiting }: LocationStatus): string {
  if (alarm !== null && alarm.unservedTypes.length > 0)
    return `none of them can run ${alarm.unservedTypes.join(', ')} checks`
  const runs = Math.max(waiting.runs, 1)
  return `${formatNumberOf(runs, 'run')} ${runs === 1 ? 'waits' : 'wait'} for a free slot`
}
