// Why a check doesn't run: derived from its locations, the connected agents and server outages. Pure.
import { defaultAgentTypes } from '@vedette/contracts'
import { locationName } from '../core/location-text.ts'
import type { Outage } from '../storage/runs/servers.ts'
import type { AssignedLocation, PresentAgent } from '../storage/runs/unserved-causes.ts'
import { unknownFrom } from './check-state.ts'
import type { StateFacts, UnknownCause } from './state-facts.ts'

export interface LocatedCause extends UnknownCause {
  /** Groups checks with the same cause: a region, the id of a private location, `built-in` or `server`. */
  locationKey: string
  /** Data-center locations, or slugs of private ones. */
  locationIds: string[]
}

/** Regions that only built-in agents serve: one agent is missing, however many regions it serves. */
const builtIn = 'built-in'
const everywhere = 'server'

interface Environment {
  assigned: readonly AssignedLocation[]
  agents: readonly PresentAgent[]
  outages: readonly Outage[]
  now: number
}

/** Null: nothing is wrong, it isn't due yet. */
export function causeOf(
  facts: StateFacts,
  isOverdue: boolean,
  { assigned, agents, outages, now }: Environment,
): LocatedCause | null {
  const outage = outages.findLast(({ to }) => to > (facts.knownAt ?? facts.changedAt))
  // It was running until the outage, and hasn't missed too many runs since.
  const wasRunning = (from: number) => facts.knownAt !== null && unknownFrom(facts, facts.knownAt) >= from
  if (outage !== undefined && wasRunning(outage.from) && now < unknownFrom(facts, outage.to)) {
    return { kind: 'server_outage', locations: [], locationIds: [], locationKey: everywhere, outage }
  }
  const served = assigned.map((at) => ({
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
  if (assigned.length === 0) return null
  if (dead.length === assigned.length) return locate('no_agent', dead)
  if (dead.length + unable.length === assigned.length) return locate('unserved_type', unable)
  if (!isOverdue) return null
  return locate(
    'overdue',
    served.filter((one) => !dead.includes(one) && !unable.includes(one)),
  )
}

function locate(
  kind: UnknownCause['kind'],
  served: readonly { at: AssignedLocation; by: readonly PresentAgent[] }[],
): LocatedCause {
  // Private locations first: no other agent can serve them.
  const [first] = served.toSorted((a, b) => Number(a.at.name === null) - Number(b.at.name === null))
  const isBuiltIn = first?.at.name === null && first.by.every((agent) => agent.isBuiltIn)
  return {
    kind,
    locationKey: isBuiltIn ? builtIn : (first?.at.locationKey ?? ''),
    locations: served.map(({ at }) => nameOf(at)),
    locationIds: served.map(({ at }) => at.location),
  }
}

function nameOf({ location, name }: AssignedLocation): string {
  return name ?? locationName(location)
}
