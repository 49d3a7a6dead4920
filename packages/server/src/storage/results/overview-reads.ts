// What an overview of an account consists of, and what of it has changed. A row has changed if the transaction that wrote it
// wasn't visible to an earlier snapshot: such transactions aren't older than the oldest one that was running then. So nothing
// needs to be written for readers, no clock has to be right, and a change is found in whatever order transactions commit.
import { networkCheckTypes, type OverviewCheck } from '@vedette/contracts'
import { groupByShard } from '../core/shards.ts'
import type { Client } from '../core/transaction.ts'
import type { SummaryRow } from './check-summaries.ts'
import { type StateFactsRow, stateColumns, stateJoins } from './state-facts.ts'

export interface AccountChanges {
  /** The oldest transaction that was running: the `since` of the next reading. */
  snapshot: string
  /** By the clock of the store, in milliseconds. */
  storeTime: number
  checkCount: number
  /** The account has changed, so that its settings may affect every check. */
  isChanged: boolean
  /** The checks that have changed, or their statuses or groups; null: `since` was null. */
  checkIds: string[] | null
}

/** `since`: a snapshot of an earlier reading; null: everything counts as changed. */
export interface ChangedSince {
  accountId: string
  since: string | null
}

/** Rows whose age is at most this have changed; ages are those of the oldest transaction, in transactions. */
const oldest = (since: string) => `coalesce((select age(${since}::text::xid8::xid)), 2147483647)`

/** Null: the account doesn't exist. */
export async function readAccountChanges(
  client: Client,
  { accountId, since }: ChangedSince,
): Promise<AccountChanges | null> {
  const { rows } = await client.query<AccountChanges & Record<string, unknown>>({
    name: 'read_account_changes',
    text: `select pg_snapshot_xmin(pg_current_snapshot())::text as snapshot,
        floor(date_part('epoch', clock_timestamp()) * 1000) as "storeTime", age(a.xmin) <= ${oldest('$2')} as "isChanged",
        counted."checkCount", case when $2::text is not null then array(
          select unnest(counted.changed)
          union select check_id from check_statuses where account_id = $1 and age(xmin) <= ${oldest('$2')}
          union select check_id from heartbeats where account_id = $1 and age(xmin) <= ${oldest('$2')}
          union select c.id from check_groups g join checks c on c.account_id = g.account_id and c.group_id = g.id
            where g.account_id = $1 and age(g.xmin) <= ${oldest('$2')}
        ) end as "checkIds"
      from accounts a cross join (
        select count(*)::int as "checkCount", array_agg(id) filter (where age(xmin) <= ${oldest('$2')}) as changed
        from checks where account_id = $1
      ) counted
      where a.id = $1`,
    values: [accountId, since],
  })
  return rows[0] ?? null
}

export interface OverviewRow extends StateFactsRow {
  /** Differs after every change. */
  version: string
  groupId: number | null
  groupName: string | null
  /** Of the check and of its group. */
  tags: string[]
  locations: string[]
  privateLocations: string[]
  /** The URL, host or name that a network check asks; null: it has none. */
  target: string | null
}

const groupHasLocations = `(g.locations <> '{}' or g.private_locations <> '{}')`
const networkTypes = networkCheckTypes.map((type) => `'${type}'`).join(', ')

// Settings of other types may contain large scripts, which reading a field of them would decompress.
const overviewColumns = `${stateColumns},
  concat(a.xmin, '.', c.xmin, '.', s.xmin, '.', g.xmin, '.', h.xmin) as version, c.group_id as "groupId", g.name as "groupName",
  to_json(array(select distinct unnest(c.tags || coalesce(g.tags, '{}')))) as tags,
  to_json(coalesce(case when ${groupHasLocations} then g.locations else c.locations end, '{}')) as locations,
  to_json(coalesce(case when ${groupHasLocations} then g.private_locations else c.private_locations end, '{}'))
    as "privateLocations",
  case when c.check_type in (${networkTypes}) then coalesce(c.settings #>> '{request,url}',
    c.settings #>> '{request,hostname}', c.settings #>> '{request,query}') end as target`

/** `checkIds`: a few of them; null: all. Two statements, because PostgreSQL plans them differently. */
export async function listOverviewRows(
  client: Client,
  { accountId, checkIds }: { accountId: string; checkIds: readonly string[] | null },
  now: number,
): Promise<OverviewRow[]> {
  if (checkIds?.length === 0) return []
  const text = `select ${overviewColumns} from checks c ${stateJoins} where c.account_id = $2`
  const { rows } = await client.query<OverviewRow & Record<string, unknown>>(
    checkIds === null
      ? { name: 'overview_of_account', text, values: [now, accountId] }
      : {
          name: 'overview_of_checks',
          text: `${text} and c.id = any($3::uuid[])`,
          values: [now, accountId, checkIds],
        },
  )
  return rows
}

export async function listCheckIds(client: Client, accountId: string): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>({
    name: 'list_check_ids',
    text: 'select id from checks where account_id = $1',
    values: [accountId],
  })
  return new Set(rows.map(({ id }) => id))
}

export async function listChangedSummaries(
  client: Client,
  { accountId, since }: ChangedSince,
): Promise<SummaryRow[]> {
  const { rows } = await client.query<SummaryRow & Record<string, unknown>>({
    name: 'list_changed_summaries',
    text: `select check_id as "checkId", date_part('epoch', until) * 1000 as until, runs_24h as "runs24h",
        passed_24h as "passed24h", executed_24h as "executed24h", runs_7d as "runs7d", passed_7d as "passed7d",
        p95_24h as p95
      from check_summaries where account_id = $1 and age(xmin) <= ${oldest('$2')}`,
    values: [accountId, since],
  })
  return rows
}

export interface RecentRuns {
  checkId: string
  runs: number
  passed: number
  /** Scheduled runs, as coverage counts them. */
  executed: number
  /** Of checks without a summary. */
  p95: number | null
}

/** Runs that summaries don't include yet, by check; in milliseconds. */
export async function listRecentRuns(client: Client, accountId: string, from: number): Promise<RecentRuns[]> {
  const { rows } = await client.query<RecentRuns & Record<string, unknown>>({
    name: 'list_recent_runs',
    text: `select r.check_id as "checkId", count(*) filter (where not r.has_errors)::int as runs,
        count(*) filter (where not r.has_errors and not r.has_failures)::int as passed,
        count(*) filter (where r.source = 'schedule')::int as executed,
        percentile_cont(0.95) within group (order by r.response_time) filter (where coalesce(s.runs_24h, 0) = 0) as p95
      from results r left join (
        select check_id, until, runs_24h from check_summaries where account_id = $1 offset 0
      ) s on s.check_id = r.check_id
      where r.account_id = $1 and r.scheduled_at >= to_timestamp($2 / 1000.0) and r.scheduled_at >= coalesce(s.until, '-infinity')
        and r.result_type = 'FINAL' and not r.is_cancelled
      group by r.check_id`,
    values: [accountId, from],
  })
  return rows
}

/** As it is shown. */
export type LastRun = OverviewCheck['runs'][number] & { location: string }

/** The last runs with a verdict, the oldest first. Checks without any are absent. */
export async function listLastRuns(
  client: Client,
  accountId: string,
  checkIds: readonly string[],
  limit: number,
): Promise<Map<string, LastRun[]>> {
  if (checkIds.length === 0) return new Map()
  const known = new Map<string, LastRun[]>()
  for (const ids of groupByShard(checkIds, (id) => id)) {
    for (const { checkId, runs } of await readLastRuns(client, accountId, ids, limit)) {
      known.set(
        checkId,
        runs.map(([state, duration, location]) => ({ state, duration, location })),
      )
    }
  }
  return known
}

type LastRunRow = [state: LastRun['state'], durationMs: number, location: string]

async function readLastRuns(client: Client, accountId: string, checkIds: readonly string[], limit: number) {
  const { rows } = await client.query<{ checkId: string; runs: LastRunRow[] }>({
    name: 'list_last_runs',
    // One JSON text per check: parsing single rows takes three times as long.
    text: `
      select k.check_id as "checkId", json_agg(json_build_array(
        case when r.has_failures then 'failing' when r.is_degraded then 'degraded' else 'passing' end,
        round(coalesce(r.response_time, greatest(0, date_part('epoch', r.stopped_at - r.started_at) * 1000))), r.location)
        order by r.scheduled_at, r.run_id) as runs
      from unnest($2::uuid[]) as k (check_id) cross join lateral (
        select * from results r
        where r.account_id = $1 and r.check_id = k.check_id and r.check_id = any($2::uuid[]) and r.result_type = 'FINAL' and not r.is_cancelled and not r.has_errors
        order by r.scheduled_at desc, r.run_id desc, r.attempt desc limit $3
      ) r
      group by k.check_id`,
    values: [accountId, checkIds, limit],
  })
  return rows
}
