// Locations in which checks should run and don't: derived from lanes, agents, missed slots and results.
import { hourMs } from '@vedette/contracts'
import type { IdleLocation } from '../alerts/location-alarms.ts'
import type { Client } from '../core/transaction.ts'
import { agentGoneAfterMs, isPresentIn, mayRun } from './agents.ts'

/** Parameter $1 of both queries is now; the rest are milliseconds. */
const before = (milliseconds: string) => `($1::timestamptz - (${milliseconds}) * interval '1 millisecond')`

const presentText = `
  present as materialized (
    select location_key, max(last_seen_at) as seen_at,
      min(started_at) filter (where state = 'running' and last_seen_at >= ${before(`${agentGoneAfterMs}`)}) as serving_since
    from agents, unnest(
      case when private_location_id is null then locations else array[private_location_id::text] end) as location_key
    group by location_key
  )`

// A lane that rotates through several locations counts in each of them. `changed_at`: the earliest time of its current plan.
const assignedText = `
  assigned as materialized (
    select s.account_id, s.check_id, c.check_type, c.name, s.period_ms, cardinality(s.queues) as turns, s.location as waits_in, s.due_at,
      s.lease_id, s.served, p.location, split_part(p.queue, '/', 1) as location_key,
      greatest(c.created_at, c.updated_at, g.updated_at) as changed_at
    from schedule s
    cross join lateral unnest(s.locations, s.queues) as p (location, queue)
    join checks c on c.account_id = s.account_id and c.id = s.check_id
    left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
    where s.period_ms is not null
  )`

const found = (kind: string, isDue: string, unservedTypes: string) => `
  account_id as "accountId", location_key as "locationKey", '${kind}' as kind, min(location) as location, count(*) as "checkCount",
  (array_agg(name order by name, check_id))[1:10] as checks,
  (array_agg(check_id order by name, check_id))[1] as "leadCheckId",
  (array_agg(check_type order by name, check_id))[1] as "leadCheckType", ${isDue} as "isDue", ${unservedTypes} as "unservedTypes"`

// Coverage and results may be distributed, and the other tables aren't: so lanes are listed first, then what was missed in
// them is read by check.

interface Lane {
  checkId: string
  location: string
  /** Milliseconds. */
  since: number
}

interface MissedInHour {
  checkId: string
  location: string
  hour: number
  missed: number
  byAgent: number
  paused: number
}

const laneKey = ({ checkId, location }: Pick<Lane, 'checkId' | 'location'>) => `${checkId} ${location}`

/** By check and location, since the earliest hour of any of the lanes. */
async function listMissed(client: Client, lanes: readonly Lane[]): Promise<Map<string, MissedInHour[]>> {
  if (lanes.length === 0) return new Map()
  const reason = (name: string) => `coalesce((reasons ->> '${name}')::int, 0)`
  const { rows } = await client.query<MissedInHour & Record<string, unknown>>({
    name: 'list_missed_of_checks',
    text: `select check_id as "checkId", location, date_part('epoch', hour) * 1000 as hour, missed,
        ${reason('agent')} as "byAgent", ${reason('maintenance')} as paused
      from coverage
      where check_id = any($1::uuid[]) and hour >= to_timestamp($2 / 1000.0) and (missed > 0 or skipped > 0)`,
    values: [
      [...new Set(lanes.map(({ checkId }) => checkId))],
      hourOf(Math.min(...lanes.map(({ since }) => since))),
    ],
  })
  return Map.groupBy(rows, laneKey)
}

const hourOf = (instant: number) => Math.floor(instant / hourMs) * hourMs

// If a location had an agent, it's absent since it was last seen or since a check was assigned. If it never had one, the time
// counts from the first due run: the missed periods plus the time that the current run has waited.
const neverServedText = `
  with ${presentText}, ${assignedText}
  select a.check_id as "checkId", a.location, date_part('epoch', ${before('86400000')}) * 1000 as since
  from assigned a left join present p using (location_key) where p.seen_at is null`

const unservedText = `
  with ${presentText}, ${assignedText}, unserved as (
    select a.*, greatest(p.seen_at, a.changed_at) as absent_since, p.seen_at, a.period_ms * a.turns * coalesce(missed.runs, 0)
      + case when a.waits_in = a.location then extract(epoch from greatest($1 - a.due_at, interval '0')) * 1000 else 0 end as waited_ms
    from assigned a left join present p using (location_key)
    left join json_to_recordset($3::json) as missed ("checkId" uuid, location text, runs int)
      on missed."checkId" = a.check_id and missed.location = a.location and p.seen_at is null
    where p.seen_at is null or p.seen_at < ${before('$2::float8')}
  )
  select ${found(
    'no_agent',
    `bool_or(case when seen_at is null then waited_ms >= $2::float8 else absent_since <= ${before('$2::float8')} end)`,
    `'{}'::text[]`,
  )}
  from unserved group by account_id, location_key`

/** Locations without an agent for that long. */
export async function listUnservedLocations(
  client: Client,
  { now, absentMs }: { now: number; absentMs: number },
): Promise<IdleLocation[]> {
  const { rows: lanes } = await client.query<Lane & Record<string, unknown>>({
    name: 'list_never_served',
    text: neverServedText,
    values: [new Date(now)],
  })
  const missed = await listMissed(client, lanes)
  const counts = lanes.map(({ checkId, location, since }) => {
    const hours = (missed.get(laneKey({ checkId, location })) ?? []).filter(({ hour }) => hour >= since)
    return { checkId, location, runs: sumOf(hours.map(({ byAgent }) => byAgent)) }
  })
  const { rows } = await client.query<IdleLocation & Record<string, unknown>>({
    name: 'list_unserved_locations',
    text: unservedText,
    values: [new Date(now), absentMs, JSON.stringify(distinctLanes(counts))],
  })
  return rows
}

/** Lanes of a check can have a location in common. */
function distinctLanes<T extends Pick<Lane, 'checkId' | 'location'>>(lanes: readonly T[]): T[] {
  return [...new Map(lanes.map((lane) => [laneKey(lane), lane])).values()]
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

// The due slot of a lane is at most a period old, since earlier slots are counted as missed. So a lane is overdue if slots
// were missed and none ran since the turn before the last one. A run in progress, or a slot that a maintenance window
// skipped, shows that lanes are claimed.
const waitingText = `
  waiting as (
    select a.*, p.serving_since, ${before('a.turns * a.period_ms + greatest(a.period_ms, $2::float8) + $3::float8')} as span_begin
    from assigned a join present p using (location_key)
    where p.serving_since is not null and not (a.lease_id is not null and a.due_at > $1 and a.waits_in = a.location)
  )`

/** Without lanes whose last run in the location ended in the span, which are nearly all. */
const silentText = `
  with ${presentText}, ${assignedText}, ${waitingText}
  select check_id as "checkId", location, date_part('epoch', span_begin) * 1000 as since from waiting
  where coalesce((served ->> location)::float8, 0) < date_part('epoch', span_begin) * 1000`

const overdueText = `
  with ${presentText}, ${assignedText}, ${waitingText}, overdue as (
    select w.*, missed.by_agent from waiting w
    join json_to_recordset($4::json) as missed ("checkId" uuid, location text, by_agent int)
      on missed."checkId" = w.check_id and missed.location = w.location
  )
  select ${found(
    'overdue',
    `bool_or(by_agent > 0 and changed_at <= span_begin and serving_since <= ${before('$3::float8')} and not exists (
      select from location_alarms l where l.account_id = o.account_id and l.queue = o.location_key and l.kind = 'no_agent'
        and (l.resolved_at is null or l.resolved_at > o.span_begin)))`,
    `coalesce(array_agg(distinct check_type) filter (where not exists (
      select from agents a where ${isPresentIn('o.location_key', before(`${agentGoneAfterMs}`))} and ${mayRun('o.check_type')})), '{}')`,
  )}
  from overdue o group by account_id, location_key`

/** Locations with an agent in which runs wait longer than their period (and than an agent may be absent) plus a margin. */
export async function listOverdueLocations(
  client: Client,
  { now, absentMs, marginMs }: { now: number; absentMs: number; marginMs: number },
): Promise<IdleLocation[]> {
  const { rows: silent } = await client.query<Lane & Record<string, unknown>>({
    name: 'list_silent_lanes',
    text: silentText,
    values: [new Date(now), absentMs, marginMs],
  })
  const missed = await listMissed(client, silent)
  const idle = silent.flatMap(({ checkId, location, since }) => {
    const hours = (missed.get(laneKey({ checkId, location })) ?? []).filter(
      ({ hour }) => hour >= hourOf(since),
    )
    const isIdle =
      sumOf(hours.map((hour) => hour.missed)) > 0 && sumOf(hours.map((hour) => hour.paused)) === 0
    return isIdle ? [{ checkId, location, since, by_agent: sumOf(hours.map((hour) => hour.byAgent)) }] : []
  })
  if (idle.length === 0) return []
  const lastRuns = await listLastScheduled(client, idle)
  const overdue = idle.filter((lane) => (lastRuns.get(laneKey(lane)) ?? 0) <= lane.since)
  const { rows } = await client.query<IdleLocation & Record<string, unknown>>({
    name: 'list_overdue_locations',
    text: overdueText,
    values: [new Date(now), absentMs, marginMs, JSON.stringify(distinctLanes(overdue))],
  })
  return rows
}

/** The slot of the last scheduled run, by check and location, in milliseconds. */
async function listLastScheduled(client: Client, lanes: readonly Lane[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ checkId: string; location: string; last: number }>({
    name: 'list_last_scheduled',
    text: `select check_id as "checkId", location, date_part('epoch', max(scheduled_at)) * 1000 as last from results
      where check_id = any($1::uuid[]) and scheduled_at > to_timestamp($2 / 1000.0) and source = 'schedule'
      group by check_id, location`,
    values: [[...new Set(lanes.map(({ checkId }) => checkId))], Math.min(...lanes.map(({ since }) => since))],
  })
  return new Map(rows.map((row) => [laneKey(row), row.last]))
}
