// Locations in which checks should run and don't: derived from lanes, agents, missed slots and results.
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
      s.lease_id, p.location, split_part(p.queue, '/', 1) as location_key,
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

const reason = (name: string) => `coalesce((v.reasons ->> '${name}')::int, 0)`

// If a location had an agent, it's absent since it was last seen or since a check was assigned. If it never had one, the time
// counts from the first due run: the missed periods plus the time that the current run has waited.
const unservedText = `
  with ${presentText}, ${assignedText}, unserved as (
    select a.*, greatest(p.seen_at, a.changed_at) as absent_since, p.seen_at, a.period_ms * a.turns * missed.runs
      + case when a.waits_in = a.location then extract(epoch from greatest($1 - a.due_at, interval '0')) * 1000 else 0 end as waited_ms
    from assigned a left join present p using (location_key)
    cross join lateral (
      select coalesce(sum(${reason('agent')}), 0) as runs from coverage v
      where p.seen_at is null and v.check_id = a.check_id and v.location = a.location and v.hour >= ${before('86400000')}
    ) missed
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
  const values = [new Date(now), absentMs]
  const { rows } = await client.query<IdleLocation & Record<string, unknown>>({
    name: 'list_unserved_locations',
    text: unservedText,
    values,
  })
  return rows
}

// The due slot of a lane is at most a period old, since earlier slots are counted as missed. So a lane is overdue if slots
// were missed and none ran since the turn before the last one. A run in progress, or a slot that a maintenance window
// skipped, shows that lanes are claimed.
const overdueText = `
  with ${presentText}, ${assignedText}, waiting as (
    select a.*, p.serving_since, ${before('a.turns * a.period_ms + greatest(a.period_ms, $2::float8) + $3::float8')} as span_begin
    from assigned a join present p using (location_key)
    where p.serving_since is not null and not (a.lease_id is not null and a.due_at > $1 and a.waits_in = a.location)
  ), overdue as (
    select w.*, counted.by_agent from waiting w
    cross join lateral (
      select sum(v.missed) as missed, sum(${reason('agent')}) as by_agent, sum(${reason('maintenance')}) as paused
      from coverage v
      where v.check_id = w.check_id and v.location = w.location and v.hour >= date_trunc('hour', w.span_begin, 'UTC')
    ) counted
    where counted.missed > 0 and counted.paused = 0 and not exists (
      select from results r where r.check_id = w.check_id and r.scheduled_at > w.span_begin and r.location = w.location
        and r.source = 'schedule')
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
  const values = [new Date(now), absentMs, marginMs]
  const { rows } = await client.query<IdleLocation & Record<string, unknown>>({
    name: 'list_overdue_locations',
    text: overdueText,
    values,
  })
  return rows
}
