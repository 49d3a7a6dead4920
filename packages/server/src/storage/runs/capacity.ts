// How much agents of each queue have to do, and how much they can do. For the operator's metrics: crosses accounts on purpose.
import type { CheckType } from '@vedette/contracts'
import type { Pool } from '../core/db.ts'
import { agentGoneAfterMs } from './agents.ts'

export interface QueueDemand {
  queue: string
  /** Slots per minute, by the schedule. */
  runsPerMinute: number
  /** Average duration of a run; null: no run of the sample is known. */
  runSeconds: number | null
}

/** Checks per queue whose runs are averaged: enough for an estimate, and few enough for every size of installation. */
const sampleSize = 50
const durationsOfMs = 2 * 3_600_000

export async function readQueueDemand(pool: Pool, nowMs: number): Promise<QueueDemand[]> {
  const { rows } = await pool.query<{ queue: string; runsPerMinute: number; checkIds: string[] }>(
    `select queue, sum(per_minute)::float8 as "runsPerMinute",
       array_agg(check_id) filter (where nth <= $1) as "checkIds"
     from (
       select s.check_id, q.queue, 60000.0 / s.period_ms / cardinality(s.queues) as per_minute,
         row_number() over (partition by q.queue order by hashint8(s.id)) as nth
       from schedule s cross join unnest(s.queues) q (queue)
       where s.period_ms is not null and s.check_id is not null
     ) planned group by queue order by queue`,
    [sampleSize],
  )
  const durations = await readRunSeconds(
    pool,
    rows.flatMap(({ checkIds }) => checkIds),
    nowMs,
  )
  return rows.map(({ queue, runsPerMinute, checkIds }) => {
    const known = checkIds.flatMap((id) => durations.get(id) ?? [])
    const runs = known.reduce((sum, one) => sum + one.runs, 0)
    const seconds = known.reduce((sum, one) => sum + one.seconds, 0)
    return { queue, runsPerMinute, runSeconds: runs === 0 ? null : seconds / runs }
  })
}

async function readRunSeconds(pool: Pool, checkIds: string[], nowMs: number) {
  const { rows } = await pool.query<{ checkId: string; runs: number; seconds: number }>(
    `select check_id as "checkId", count(*)::int as runs,
       sum(extract(epoch from stopped_at - started_at))::float8 as seconds
     from results where check_id = any($1::uuid[]) and scheduled_at >= $2 group by check_id`,
    [[...new Set(checkIds)], new Date(nowMs - durationsOfMs)],
  )
  return new Map(rows.map((row) => [row.checkId, row]))
}

export interface LocationCapacity {
  /** A region, or the id of a private location. */
  locationKey: string
  network: number
  code: number
}

/** Concurrent runs of the agents that are present. An agent of several regions counts in each of them. */
export async function listCapacity(pool: Pool, nowMs: number): Promise<LocationCapacity[]> {
  const { rows } = await pool.query<LocationCapacity>(
    `select l.key as "locationKey", coalesce(sum(${slots('network')}), 0)::int as network,
       coalesce(sum(${slots('code')}), 0)::int as code
     from agents a
     cross join unnest(case when private_location_id is null then locations else array[private_location_id::text] end) l (key)
     where state = 'running' and last_seen_at >= $1 group by 1 order by 1`,
    [new Date(nowMs - agentGoneAfterMs)],
  )
  return rows
}

/** Of `agents a`. Agents of private locations aren't the operator's: what they report may be anything. */
function slots(kind: 'network' | 'code'): string {
  const value = `a.facts #> '{slots,${kind}}'`
  return `case when jsonb_typeof(${value}) = 'number' then least(greatest((${value})::numeric, 0), 10000) end`
}

export interface ScheduledChecks {
  type: CheckType
  checks: number
  periodMs: number
  /** In how many locations each slot runs at the same time, on average. */
  locations: number
}

/** All active checks that run by a schedule or wait for pings, by type and period. */
export async function listScheduledChecks(pool: Pool): Promise<ScheduledChecks[]> {
  const { rows } = await pool.query<ScheduledChecks>(
    `select c.check_type as type, count(distinct s.check_id)::int as checks, s.period_ms::float8 as "periodMs",
       count(*)::float8 / count(distinct s.check_id) as locations
     from schedule s join checks c on c.id = s.check_id where s.period_ms is not null group by c.check_type, s.period_ms
     union all
     select 'HEARTBEAT', count(*)::int, period_ms::float8, 1 from heartbeats where deadline_at is not null group by period_ms
     order by type, "periodMs"`,
  )
  return rows
}
