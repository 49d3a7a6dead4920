// Check sessions and test sessions as one list, the latest first.
import { finalCheckSessionStatuses, type SessionEntry, type SessionQuery } from '@vedette/contracts'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { z } from 'zod'
import type { CursorPage, CursorRequest } from '../core/cursor.ts'
import type { Db } from '../core/db.ts'

export type SessionFilters = Omit<z.output<typeof SessionQuery>, 'limit' | 'nextId'>

const checkState = sql`case when s.status = any(${sql.lit(`{${finalCheckSessionStatuses.join(',')}}`)}::text[])
  then case when s.status = 'TIMED_OUT' then 'failed' else lower(s.status) end else 'running' end`

const ofChecks = sql`select s.id, 'check' as kind, s.name, ${checkState} as state, s.check_id as "checkId",
    s.check_type as "checkType", s.run_source as "runSource", null as provider, s.run_locations as locations,
    s.expected::int as expected, s.done::int as done, (s.failed + s.errors + s.timed_out)::int as failed,
    s.cancelled::int as cancelled, null as "branchName", null as "commitId", null as "commitMessage",
    s.options ->> 'environmentName' as environment, null as invoker, s.started_at as "startedAt", s.stopped_at as "stoppedAt"
  from check_sessions s`

const ofTests = sql`select s.id, 'test' as kind, s.name, lower(s.status) as state, null::uuid as "checkId",
    null as "checkType", null as "runSource", s.provider, array[s.location] as locations,
    s.expected::int as expected, s.done::int as done, s.failed::int as failed, s.cancelled::int as cancelled,
    s.metadata ->> 'branchName' as "branchName", s.metadata ->> 'commitId' as "commitId",
    s.metadata ->> 'commitMessage' as "commitMessage", s.metadata ->> 'environment' as environment,
    coalesce(u.name, u.email) as invoker, s.started_at as "startedAt", s.stopped_at as "stoppedAt"
  from test_sessions s left join users u on u.id = s.invoker_user_id`

/** Each kind is read in the order of its index, at most a page of it. */
export async function listSessions(
  db: Db,
  accountId: string,
  filters: SessionFilters,
  { limit, after }: CursorRequest,
): Promise<CursorPage<SessionEntry>> {
  const { kind, providers, branch, commit, checkId } = filters
  const isTestsOnly = providers !== undefined || branch !== undefined || commit !== undefined
  const sources = [
    ...(kind === 'test' || isTestsOnly
      ? []
      : [{ select: ofChecks, table: 'check_sessions', where: checkConditions(accountId, filters) }]),
    ...(kind === 'check' || checkId !== undefined
      ? []
      : [{ select: ofTests, table: 'test_sessions', where: testConditions(accountId, filters) }]),
  ]
  if (sources.length === 0) return { entries: [], total: 0, next: null }
  const position =
    after === null
      ? sql<SqlBool>`true`
      : sql<SqlBool>`s.started_at <= ${after.createdAt} and (s.started_at < ${after.createdAt} or s.id > ${after.id})`
  const parts = sources.map(
    ({ select, where }) =>
      sql`(${select} where ${allOf([...where, position])} order by s.started_at desc, s.id limit ${limit + 1})`,
  )
  const counts = sources.map(
    ({ table, where }) => sql`select count(*) as total from ${sql.table(table)} s where ${allOf(where)}`,
  )
  const union = sql` union all `
  const [page, counted] = await Promise.all([
    sql<SessionEntry>`select * from (${sql.join(parts, union)}) s order by "startedAt" desc, id limit ${limit + 1}`.execute(
      db,
    ),
    sql<{ total: number }>`select sum(total)::int as total from (${sql.join(counts, union)}) c`.execute(db),
  ])
  const entries = page.rows.slice(0, limit)
  const last = entries.at(-1)
  const hasMore = page.rows.length > limit && last !== undefined
  return {
    entries,
    total: counted.rows[0]?.total ?? 0,
    next: hasMore ? { createdAt: last.startedAt, id: last.id } : null,
  }
}

export async function findSession(db: Db, accountId: string, id: string): Promise<SessionEntry | null> {
  const where = sql`where s.account_id = ${accountId} and s.id = ${id}`
  const { rows } = await sql<SessionEntry>`${ofChecks} ${where} union all ${ofTests} ${where}`.execute(db)
  return rows[0] ?? null
}

function checkConditions(accountId: string, filters: SessionFilters): RawBuilder<SqlBool>[] {
  const { states, checkId, textSearch } = filters
  return [
    ...timeConditions(accountId, filters),
    ...(states === undefined ? [] : [sql<SqlBool>`${checkState} = any(${states})`]),
    ...(checkId === undefined ? [] : [sql<SqlBool>`s.check_id = ${checkId}`]),
    ...(textSearch === undefined ? [] : [sql<SqlBool>`strpos(lower(s.name), lower(${textSearch})) > 0`]),
  ]
}

function testConditions(accountId: string, filters: SessionFilters): RawBuilder<SqlBool>[] {
  const { states, providers, branch, commit, textSearch } = filters
  return [
    ...timeConditions(accountId, filters),
    sql`s.is_recorded`,
    ...(states === undefined ? [] : [sql<SqlBool>`lower(s.status) = any(${states})`]),
    ...(providers === undefined ? [] : [sql<SqlBool>`s.provider = any(${providers})`]),
    ...(branch === undefined ? [] : [sql<SqlBool>`s.metadata ->> 'branchName' = ${branch}`]),
    ...(commit === undefined ? [] : [sql<SqlBool>`starts_with(s.metadata ->> 'commitId', ${commit})`]),
    ...(textSearch === undefined
      ? []
      : [
          sql<SqlBool>`strpos(lower(concat_ws(' ', s.name, s.metadata ->> 'branchName', s.metadata ->> 'commitId',
            s.metadata ->> 'commitOwner', s.metadata ->> 'commitMessage')), lower(${textSearch})) > 0`,
        ]),
  ]
}

function timeConditions(accountId: string, { from, to }: SessionFilters): RawBuilder<SqlBool>[] {
  return [
    sql`s.account_id = ${accountId}`,
    ...(from === undefined ? [] : [sql<SqlBool>`s.started_at >= to_timestamp(${from})`]),
    ...(to === undefined ? [] : [sql<SqlBool>`s.started_at < to_timestamp(${to})`]),
  ]
}

function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return sql`${sql.join(conditions, sql` and `)}`
}
