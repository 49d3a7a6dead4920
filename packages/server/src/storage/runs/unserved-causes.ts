// The locations of checks, and the agents there: why a check doesn't run.
import type { Client } from '../core/transaction.ts'
import type { StateFactsRow } from '../results/state-facts.ts'

/** A location of a check. */
export interface AssignedLocation {
  checkId: string
  checkType: string
  /** A data-center location, or the slug of a private one. */
  location: string
  /** The same, or the id of the private location. */
  locationKey: string
  /** Of a private location; null: a data-center location. */
  name: string | null
}

/** The locations of these checks, in which they may run; private ones have their name. */
export async function listAssignedLocations(
  client: Client,
  checks: readonly Pick<StateFactsRow, 'id' | 'accountId' | 'checkType' | 'lanes'>[],
): Promise<AssignedLocation[]> {
  const assigned = checks.flatMap(({ id, checkType, lanes }) =>
    (lanes ?? []).flatMap(({ locations, queues }) =>
      locations.map((location, index): AssignedLocation => {
        const locationKey = queues[index]?.split('/')[0] ?? location
        return { checkId: id, checkType, location, locationKey, name: null }
      }),
    ),
  )
  const named = assigned.filter(({ location, locationKey }) => location !== locationKey)
  const nameOf = await readLocationNames(
    client,
    [...new Set(checks.map(({ accountId }) => accountId))],
    [...new Set(named.map(({ locationKey }) => locationKey))],
  )
  for (const one of named) one.name = nameOf.get(one.locationKey) ?? null
  return assigned.sort((a, b) => (a.location < b.location ? -1 : 1))
}

async function readLocationNames(
  client: Client,
  accountIds: readonly string[],
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ id: string; name: string }>({
    name: 'names_of_private_locations',
    text: 'select id, name from private_locations where account_id = any($1::uuid[]) and id = any($2::uuid[])',
    values: [accountIds, ids],
  })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export interface PresentAgent {
  /** Data-center locations, or the id of its private location. */
  locationKeys: string[]
  isBuiltIn: boolean
  isConnected: boolean
  /** Null: it doesn't report them (`defaultAgentTypes`). */
  checkTypes: string[] | null
}

/** Agents of these locations as they were last seen, including those that have ended. */
export async function listPresentAgents(
  client: Client,
  locationKeys: readonly string[],
  seenSince: number,
): Promise<PresentAgent[]> {
  const { rows } = await client.query<PresentAgent & Record<string, unknown>>({
    name: 'list_present_agents',
    text: `
      select case when private_location_id is null then locations else array[private_location_id::text] end as "locationKeys",
        private_location_id is null and agent_key_id is null as "isBuiltIn",
        state = 'running' and last_seen_at >= to_timestamp($1 / 1000.0) as "isConnected", facts -> 'checkTypes' as "checkTypes"
      from agents
      where locations && $2::text[] or private_location_id::text = any($2::text[])`,
    values: [seenSince, locationKeys],
  })
  return rows
}
