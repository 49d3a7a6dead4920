// Agent processes as they reported themselves: of a private location, of the operator, or built into a server.
import { defaultAgentTypes } from '@vedette/contracts'
import type { SeenAgent } from '../../core/watch-agents.ts'
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface AgentPresence {
  id: string
  /** Both null for agents of the operator. */
  accountId: string | null
  privateLocationId: string | null
  /** Also null: the agent built into a server. */
  agentKeyId: string | null
  /** Regions it serves; empty for those of a private location. */
  locations: string[]
  version: string
  /** Null: its release doesn't send a name. */
  name?: string | null
  state: 'running' | 'draining'
  facts: Record<string, unknown>
  startedAtMs: number
}

/** An agent that wasn't seen for longer has ended. */
export const agentGoneAfterMs = 30_000

/** Each id at most once. Returns those that were recorded: an id belongs to the key that it was first seen with. */
export async function touchAgents(
  client: Client,
  agents: readonly AgentPresence[],
  nowMs: number,
): Promise<Set<string>> {
  const seenAt = new Date(nowMs)
  const values = agents.map((agent) => ({
    id: agent.id,
    account_id: agent.accountId,
    private_location_id: agent.privateLocationId,
    agent_key_id: agent.agentKeyId,
    locations: agent.locations,
    version: agent.version,
    state: agent.state,
    facts: agent.facts,
    started_at: new Date(agent.startedAtMs),
    last_seen_at: seenAt,
    name: agent.name ?? null,
  }))
  const { rows } = await client.query<{ id: string }>({
    name: 'touch-agents',
    text: `
      insert into agents as a (id, account_id, private_location_id, agent_key_id, locations, version, state, facts,
        started_at, last_seen_at, name)
      select id, account_id, private_location_id, agent_key_id, locations, version, state, facts, started_at,
        last_seen_at, name
      from json_populate_recordset(null::agents, $1::json) order by id
      on conflict (id) do update set
        agent_key_id = excluded.agent_key_id, locations = excluded.locations, version = excluded.version,
        state = excluded.state, name = excluded.name, facts = excluded.facts,
        last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at)
      where a.private_location_id is not distinct from excluded.private_location_id
        and (a.agent_key_id is null) = (excluded.agent_key_id is null)
      returning id`,
    values: [JSON.stringify(values)],
  })
  return new Set(rows.map(({ id }) => id))
}

/** Regions with a running data-center agent of the operator: built-in agents don't serve them. */
export async function listLiveRegions(pool: Pool, nowMs: number): Promise<Set<string>> {
  const { rows } = await pool.query<{ region: string }>({
    name: 'live-regions',
    text: `
      select distinct unnest(locations) as region from agents
      where agent_key_id is not null and state = 'running' and last_seen_at >= $1`,
    values: [new Date(nowMs - agentGoneAfterMs)],
  })
  return new Set(rows.map(({ region }) => region))
}

export interface LocationAgent {
  id: string
  privateLocationId: string
  version: string
  lastSeenAt: string
}

/** Agents of an account's private locations, including those that have ended, the latest first. */
export async function listLocationAgents(
  pool: Pool,
  accountId: string,
  locationIds: string[],
): Promise<LocationAgent[]> {
  if (locationIds.length === 0) return []
  const { rows } = await pool.query<LocationAgent>(
    `select id, private_location_id as "privateLocationId", version, last_seen_at as "lastSeenAt"
     from agents where account_id = $1 and private_location_id = any($2) order by last_seen_at desc, id`,
    [accountId, locationIds],
  )
  return rows
}

/** Every agent seen lately. Crosses accounts on purpose: it is for the operator's log. */
export async function listSeenAgents(pool: Pool, nowMs: number): Promise<SeenAgent[]> {
  const { rows } = await pool.query<SeenAgent>({
    name: 'list_seen_agents',
    text: `select a.id, a.name, a.state, case when a.private_location_id is not null then 'private'
        when a.agent_key_id is not null then 'operator' else 'built-in' end as kind,
        coalesce(p.slug_name, case when cardinality(a.locations) <= 3 then array_to_string(a.locations, ', ')
          else cardinality(a.locations) || ' locations' end) as serves
      from agents a left join private_locations p on p.id = a.private_location_id and p.account_id = a.account_id
      where a.last_seen_at >= $1`,
    values: [new Date(nowMs - agentGoneAfterMs)],
  })
  return rows
}

/** How many live agents each kind has, for the operator's metrics. */
export async function countAgents(pool: Pool, nowMs: number): Promise<{ kind: string; total: number }[]> {
  const { rows } = await pool.query<{ kind: string; total: number }>(
    `select case when private_location_id is not null then 'private' when agent_key_id is not null then 'operator'
       else 'built-in' end as kind, count(*) as total
     from agents where last_seen_at >= $1 group by 1`,
    [new Date(nowMs - agentGoneAfterMs)],
  )
  return rows
}

/** Those where agents are present and none of them runs checks of the type. */
export async function listUnservedTypes(
  client: Client,
  wanted: readonly { locationKey: string; checkType: string }[],
  nowMs: number,
): Promise<{ locationKey: string; checkType: string }[]> {
  if (wanted.length === 0) return []
  const { rows } = await client.query<{ locationKey: string; checkType: string }>(
    `select w.location_key as "locationKey", w.check_type as "checkType"
     from unnest($1::text[], $2::text[]) w (location_key, check_type)
     join agents a on ${isPresentIn('w.location_key', '$3')}
     group by w.location_key, w.check_type having not bool_or(${mayRun('w.check_type')})`,
    [
      wanted.map(({ locationKey }) => locationKey),
      wanted.map(({ checkType }) => checkType),
      new Date(nowMs - agentGoneAfterMs),
    ],
  )
  return rows
}

/** Runtimes that running agents of the regions could not load. Agents of private locations concern one account only. */
export async function listRuntimeProblems(
  client: Client,
  nowMs: number,
): Promise<{ runtime: string; agentName: string | null; message: string }[]> {
  const { rows } = await client.query<{ runtime: string; agentName: string | null; message: string }>(
    `select p.key as runtime, a.name as "agentName", left(p.value, 500) as message
     from agents a cross join lateral jsonb_each_text(
       case jsonb_typeof(a.facts -> 'runtimeProblems') when 'object' then a.facts -> 'runtimeProblems' else '{}' end) p
     where a.private_location_id is null and a.state = 'running' and a.last_seen_at >= $1 and p.value is not null
     order by a.started_at, a.id, p.key`,
    [new Date(nowMs - agentGoneAfterMs)],
  )
  return rows
}

/** Of `agents a`. `locationKey`: a region, or the id of a private location. */
export function isPresentIn(locationKey: string, seenSince: string): string {
  return `a.state = 'running' and a.last_seen_at >= ${seenSince}
    and (a.private_location_id::text = ${locationKey} or ${locationKey} = any(a.locations))`
}

/** Of `agents a`. */
export function mayRun(checkType: string): string {
  const types = defaultAgentTypes.map((type) => `'${type}'`).join(', ')
  return `coalesce(a.facts -> 'checkTypes' ? ${checkType}, ${checkType} in (${types}))`
}
