// The context of a failure: runs of the same check, runs of others, changes. Every statement is limited in time and rows.
import { type Selectable, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { addDetails, hasKeptDetail } from './result-details.ts'
import type { ResultRow } from './result-reads.ts'

export interface OfCheck {
  accountId: string
  checkId: string
}

const instant = (milliseconds: number) => new Date(milliseconds)
const newestFirst = sql`order by scheduled_at desc, run_id desc, attempt desc`

/** A run begins some time after its slot, and last_seen of a group is its end. */
const longestRunMs = 2 * 86_400_000

/** The latest failing runs of a group, with their details; of a run that was retried only its last failing attempt. */
export async function listFailuresOf(
  db: Db,
  { accountId, checkId }: OfCheck,
  group: { id: string; lastSeen: number },
  limit: number,
): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select distinct on (scheduled_at, run_id) * from results
    where account_id = ${accountId} and check_id = ${checkId}
      and scheduled_at <= ${instant(group.lastSeen + 300_000)}
      and scheduled_at >= ${instant(group.lastSeen - longestRunMs)}
      and error_group_ids @> array[${group.id}]::uuid[]
    ${newestFirst} limit ${limit}`.execute(db)
  return addDetails(db, rows)
}

export interface Span {
  from: number
  /** Exclusive. */
  to: number
}

const isPassing = sql`result_type = 'FINAL' and not has_failures and not has_errors and not is_cancelled`

/** The latest passing runs, with their details; `isKept`: only runs whose details are kept for longer than a day. */
export async function listPassesOf(
  db: Db,
  { accountId, checkId }: OfCheck,
  { from, to }: Span,
  { limit, location, isKept = false }: { limit: number; location?: string; isKept?: boolean },
): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select * from results r
    where account_id = ${accountId} and check_id = ${checkId} and scheduled_at >= ${instant(from)}
      and scheduled_at < ${instant(to)} and ${isPassing}
      and ${location === undefined ? sql`true` : sql`location = ${location}`}
      and ${isKept ? hasKeptDetail(checkId) : sql`true`}
    ${newestFirst} limit ${limit}`.execute(db)
  return addDetails(db, rows)
}

/** Final results of runs that weren't cancelled, without details, oldest first; `keep` decides which remain above the limit. */
export async function listRunsOf(
  db: Db,
  { accountId, checkId }: OfCheck,
  { from, to }: Span,
  { limit, keep }: { limit: number; keep: 'earliest' | 'latest' },
): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select r.*, null as detail from results r
    where account_id = ${accountId} and check_id = ${checkId} and scheduled_at >= ${instant(from)}
      and scheduled_at < ${instant(to)} and result_type = 'FINAL' and not is_cancelled
    order by scheduled_at ${keep === 'latest' ? sql`desc` : sql`asc`} limit ${limit}`.execute(db)
  return keep === 'latest' ? rows.reverse() : rows
}

export interface NeighborRow {
  check_id: string
  name: string
  request: { url?: unknown; hostname?: unknown } | null
  result_id: string
  location: string
  has_failures: boolean
  failure_kind: string | null
}

/** The latest run of each other check in the span, which is short; at most `limit` checks. */
export async function listNeighborRuns(
  db: Db,
  { accountId, checkId }: OfCheck,
  { from, to }: Span,
  limit: number,
): Promise<NeighborRow[]> {
  const { rows: checks } = await sql<Pick<NeighborRow, 'name' | 'request'> & { id: string }>`
    select id, name, settings -> 'request' as request from checks
    where account_id = ${accountId} and id <> ${checkId} and activated order by id limit ${limit}`.execute(db)
  const { rows } = await sql<Omit<NeighborRow, 'name' | 'request'>>`
    select distinct on (check_id) check_id, id as result_id, location, has_failures, failure_kind from results
    where account_id = ${accountId} and check_id = any(${checks.map(({ id }) => id)}::uuid[])
      and scheduled_at >= ${instant(from)} and scheduled_at < ${instant(to)}
      and result_type = 'FINAL' and not is_cancelled and not has_errors
    order by check_id, scheduled_at desc, run_id desc, attempt desc`.execute(db)
  const runs = new Map(rows.map((row) => [row.check_id, row]))
  return checks.flatMap(({ id, name, request }) => {
    const run = runs.get(id)
    return run === undefined ? [] : [{ ...run, name, request }]
  })
}

export interface ChangeRows {
  deployments: Selectable<Tables['deployments']>[]
  /** Settings, snippets and variables of the check that were changed in that time. */
  settings: { what: string; at: string }[]
}

export async function listChanges(
  db: Db,
  { accountId, checkId }: OfCheck,
  { from, to }: Span,
): Promise<ChangeRows> {
  const between = (column: string) =>
    sql`${sql.ref(column)} >= ${instant(from)} and ${sql.ref(column)} < ${instant(to)}`
  const check = sql`(select * from checks where account_id = ${accountId} and id = ${checkId})`
  // Sealed text may mention any of them.
  const isMentioned = sql`exists (
    select from ${check} c
    left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
    cross join lateral (select concat(c.settings, c.dependencies, g.settings) as text) said
    where strpos(said.text, v.key) > 0 or strpos(said.text, '"$sealed"') > 0
      or exists (select from snippets s where s.account_id = c.account_id and strpos(s.script, v.key) > 0
        and (s.id in (c.setup_snippet_id, c.tear_down_snippet_id, g.setup_snippet_id, g.tear_down_snippet_id)
          or strpos(said.text, 'snippets/' || s.name) > 0)))`
  const [deployments, settings] = await Promise.all([
    sql<ChangeRows['deployments'][number]>`
      select d.* from deployments d
      where d.account_id = ${accountId} and ${between('d.created_at')}
        and (d.check_id is null or d.check_id = ${checkId})
        and (d.group_id is null or d.group_id = (select c.group_id from ${check} c))
      order by d.created_at desc limit 10`.execute(db),
    sql<ChangeRows['settings'][number]>`
      select 'the settings of the check' as what, c.updated_at as at from ${check} c where ${between('c.updated_at')}
      union all
      select 'the settings of its group', g.updated_at from ${check} c
        join check_groups g on g.account_id = c.account_id and g.id = c.group_id where ${between('g.updated_at')}
      union all
      select 'its snippet ' || s.name, s.updated_at from ${check} c
        join snippets s on s.account_id = c.account_id and s.id in (c.setup_snippet_id, c.tear_down_snippet_id)
        where ${between('s.updated_at')}
      union all
      (select 'the variable ' || v.key, coalesce(v.updated_at, v.created_at) from variables v
        where v.account_id = ${accountId} and coalesce(v.updated_at, v.created_at) >= ${instant(from)}
          and coalesce(v.updated_at, v.created_at) < ${instant(to)} and ${isMentioned}
        order by 2 desc limit 5)`.execute(db),
  ])
  return { deployments: deployments.rows, settings: settings.rows }
}

export type TestFailureRow = Selectable<Tables['test_session_results']>

/** The latest failing runs of a group of test sessions, found by the sessions of that time. */
export async function listTestFailuresOf(
  db: Db,
  accountId: string,
  group: { id: string; lastSeen: number },
  limit: number,
): Promise<TestFailureRow[]> {
  const { rows } = await sql<TestFailureRow>`
    select t.* from (select id from test_sessions
      where account_id = ${accountId} and started_at <= ${instant(group.lastSeen)}
        and started_at >= ${instant(group.lastSeen - longestRunMs)}
      order by started_at desc limit 200) s
    join test_session_results t on t.test_session_id = s.id and t.account_id = ${accountId}
      and t.error_group_ids @> array[${group.id}]::uuid[]
    order by t.stopped_at desc nulls last, t.attempt desc limit ${limit}`.execute(db)
  return rows
}
