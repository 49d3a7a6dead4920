// The locations of checks, and the agents there: why a check doesn't run.
import type { Client } from '../core/transaction.ts'

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

export async function listAssignedLocations(
  client: Client,
  checkIds: readonly string[],
): Promise<AssignedLocation[]> {
  if (checkIds.length === 0) return []
  const { rows } = await client.query<AssignedLocation & Record<string, unknown>>({
    name: 'list_assigned_places',
    text: `
      select s.check_id as "checkId", c.check_type as "checkType", p.location, split_part(p.queue, '/', 1) as "locationKey", l.name
      from schedule s
      cross join lateral unnest(s.locations, s.queues) as p (location, queue)
      join checks c on c.id = s.check_id
      left join private_locations l on l.account_id = s.account_id and l.slug_name = p.location
      where s.check_id = any($1::uuid[]) and s.period_ms is not null
      order by s.check_id, p.location`,
    values: [checkIds],
  })
  return rows
}

export interface PresentAgent {
  /** Data-center locations, or the id of its private location. */
  locationKeys: string[]
  isBuiltIn: boolean
  isConnected: boolean
  /** Null: it doesn't report them (`defaultAgentTypes`). */
  checkTypes: string[] | null
}

/** Agents as they were last seen, including those that have ended. */
export async function listPresentAgents(
  client: Client,
  now: number,
  goneAfterMs: number,
): Promise<PresentAgent[]> {
  const { rows } = await client.query<PresentAgent & Record<string, unknown>>({
    name: 'list_present_agents',
    text: `
      select case when private_location_id is null then locations else array[private_location_id::text] end as "locationKeys",
        private_location_id is null and agent_key_id is null as "isBuiltIn",
        state = 'running' and last_seen_at >= to_timestamp($1 / 1000.0) as "isConnected", facts -> 'checkTypes' as "checkTypes"
      from agents`,
    values: [now - goneAfterMs],
  })
  return rows
}
