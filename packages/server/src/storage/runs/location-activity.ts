// What happens in the locations of an account: their agents, what waits, and how late runs start.
import type { CheckType } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'

export interface PresentAgent {
  id: string
  name: string | null
  kind: 'built-in' | 'operator' | 'private'
  privateLocationId: string | null
  locations: string[]
  state: 'running' | 'draining'
  version: string
  startedAt: string
  lastSeenAt: string
  facts: Record<string, unknown>
}

/** Agents of the account's private locations seen since `rememberedSince`, and those of the regions seen since `liveSince`. */
export async function listPresentAgents(
  client: Client,
  accountId: string,
  { liveSince, rememberedSince }: { liveSince: number; rememberedSince: number },
): Promise<PresentAgent[]> {
  const { rows } = await client.query<PresentAgent & Record<string, unknown>>({
    name: 'list_agents_of_account',
    text: `select id, name, case when private_location_id is not null then 'private' when agent_key_id is not null then 'operator'
        else 'built-in' end as kind, private_location_id as "privateLocationId", locations, state, version,
        started_at as "startedAt", last_seen_at as "lastSeenAt", facts
      from agents
      where (private_location_id is null and last_seen_at >= $2) or (account_id = $1 and last_seen_at >= $3)
      order by last_seen_at desc, id limit 1000`,
    values: [accountId, new Date(liveSince), new Date(rememberedSince)],
  })
  return rows
}

export interface Waiting {
  location: string
  runs: number
  oldestMs: number
}

/** Runs that are due and not claimed, by location. */
export async function countWaitingRuns(
  client: Client,
  accountId: string,
  { queues, now }: { queues: readonly string[]; now: number },
): Promise<Waiting[]> {
  const { rows } = await client.query<Waiting & Record<string, unknown>>({
    name: 'count_waiting_runs',
    text: `select location, count(*)::int as runs,
        (extract(epoch from $3::timestamptz - min(due_at)) * 1000)::float8 as "oldestMs"
      from schedule where queue = any($2::text[]) and due_at <= $3 and account_id = $1 group by location`,
    values: [accountId, queues, new Date(now)],
  })
  return rows
}

export interface WaitingRun {
  checkId: string | null
  name: string | null
  checkType: CheckType | null
  dueAt: string
}

export async function listWaitingRuns(
  client: Client,
  accountId: string,
  { queues, now, limit }: { queues: readonly string[]; now: number; limit: number },
): Promise<WaitingRun[]> {
  const { rows } = await client.query<WaitingRun & Record<string, unknown>>({
    name: 'list_waiting_runs',
    text: `select s.check_id as "checkId", c.name, c.check_type as "checkType", s.due_at as "dueAt"
      from schedule s left join checks c on c.account_id = s.account_id and c.id = s.check_id
      where s.queue = any($2::text[]) and s.due_at <= $3 and s.account_id = $1 order by s.due_at, s.id limit $4`,
    values: [accountId, queues, new Date(now), limit],
  })
  return rows
}

export interface StartLag {
  location: string
  runs: number
  p50: number
  p95: number
  max: number
}

/** Of the first attempts of scheduled runs, by location. */
export async function listStartLags(client: Client, accountId: string, from: number): Promise<StartLag[]> {
  const { rows } = await client.query<StartLag & Record<string, unknown>>({
    name: 'list_start_lags',
    text: `select location, count(*)::int as runs, percentile_disc(0.5) within group (order by lag) as p50,
        percentile_disc(0.95) within group (order by lag) as p95, max(lag) as max
      from (
        select location, round(extract(epoch from greatest(interval '0', started_at - scheduled_at)) * 1000)::float8 as lag
        from results
        where account_id = $1 and scheduled_at >= $2 and attempt = 1 and source = 'schedule' and not is_cancelled
      ) r group by location`,
    values: [accountId, new Date(from)],
  })
  return rows
}

export interface CoveredHour {
  hour: string
  executed: number
  skipped: number
  missed: number
}

/** Executed runs of hours that aren't rolled up yet are counted from their results. */
export async function listCoveredHours(
  client: Client,
  accountId: string,
  { location, from }: { location: string; from: number },
): Promise<CoveredHour[]> {
  const { rows } = await client.query<CoveredHour & Record<string, unknown>>({
    name: 'list_covered_hours',
    text: `
      select hour, sum(executed)::int as executed, sum(skipped)::int as skipped, sum(missed)::int as missed
      from (
        select c.check_id, c.hour, case when p.check_id is null then c.executed else 0 end as executed, c.skipped, c.missed
        from coverage c left join rollup_pending p on p.check_id = c.check_id and p.hour = c.hour
        where c.account_id = $1 and c.hour >= $3 and c.location = $2
        union all
        select p.check_id, p.hour, r.executed, 0, 0
        from rollup_pending p cross join lateral (
          select r.check_id, count(*)::int as executed from results r
          where r.account_id = $1 and r.check_id = p.check_id and r.source = 'schedule' and r.result_type = 'FINAL'
            and r.location = $2 and r.scheduled_at >= p.hour and r.scheduled_at < p.hour + interval '1 hour'
          group by r.check_id
        ) r where p.account_id = $1 and p.hour >= $3
      ) c group by hour order by hour`,
    values: [accountId, location, new Date(from)],
  })
  return rows
}
