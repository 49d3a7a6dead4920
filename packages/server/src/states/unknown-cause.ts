// Why nobody runs a check: from where it is to run, which agents are connected, and when no server was running. Pure.
import { defaultAgentTypes, locationNames } from '@vedette/contracts'
import type { Outage } from '../storage/runs/servers.ts'
import type { AssignedLocation, PresentAgent } from '../storage/runs/unserved-causes.ts'
import { unknownFrom } from './check-state.ts'
import type { StateFacts, UnknownCause } from './state-facts.ts'

export interface FoundCause extends UnknownCause {
  /** What checks with the same cause share: a region, the id of a private location, or one of the words below. */
  place: string
  /** Data-center locations, or slugs of private ones. */
  locationIds: string[]
}

/** Regions that only agents built into servers would serve: one agent is missing, however many regions it stood for. */
const builtIn = 'built-in'
const everywhere = 'server'

interface Surroundings {
  places: readonly AssignedLocation[]
  agents: readonly PresentAgent[]
  outages: readonly Outage[]
  now: number
}

/** Null: nothing is wrong, it just hasn't been its turn. */
export function causeOf(
  facts: StateFacts,
  isOverdue: boolean,
  { places, agents, outages, now }: Surroundings,
): FoundCause | null {
  const outage = outages.findLast(({ to }) => to > (facts.knownAt ?? facts.changedAt))
  // It was running until then, and hasn't missed too many since.
  const wasRunning = (from: number) => facts.knownAt !== null && unknownFrom(facts, facts.knownAt) >= from
  if (outage !== undefined && wasRunning(outage.from) && now < unknownFrom(facts, outage.to)) {
    return { kind: 'server_outage', locations: [], locationIds: [], place: everywhere, outage }
  }
  const served = places.map((at) => ({
    at,
    by: agents.filter((agent) => agent.locationKeys.includes(at.locationKey)),
  }))
  const dead = served.filter(({ by }) => !by.some(({ isConnected }) => isConnected))
  const unable = served.filter(
    ({ at, by }) =>
      by.some(({ isConnected }) => isConnected) &&
      !by.some(
        ({ isConnected, checkTypes }) =>
          isConnected && (checkTypes ?? defaultAgentTypes).includes(at.checkType),
      ),
  )
  if (places.length === 0) return null
  if (dead.length === places.length) return found('no_agent', dead)
  if (dead.length + unable.length === places.length) return found('unserved_type', unable)
  if (!isOverdue) return null
  return found(
    'overdue',
    served.filter((one) => !dead.includes(one) && !unable.includes(one)),
  )
}

function found(
  kind: UnknownCause['kind'],
  served: readonly { at: AssignedLocation; by: readonly PresentAgent[] }[],
): FoundCause {
  // A private location first: its own agent is missing there, and no other stands in.
  const [first] = served.toSorted((a, b) => Number(a.at.name === null) - Number(b.at.name === null))
  const isBuiltIn = first?.at.name === null && first.by.every((agent) => agent.isBuiltIn)
  return {
    kind,
    place: isBuiltIn ? builtIn : (first?.at.locationKey ?? ''),
    locations: served.map(({ at }) => nameOf(at)),
    locationIds: served.map(({ at }) => at.location),
  }
}

function nameOf({ location, name }: AssignedLocation): string {
  return name ?? locationNames[location as keyof typeof locationNames] ?? location
}
