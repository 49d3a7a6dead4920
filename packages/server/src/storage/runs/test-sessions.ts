// Test sessions: checks run once in one location, without alerts. Stored separately from the results of the checks.
import type { TestSessionMetadata, testSessionProviders } from '@vedette/contracts'
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { CursorPage, CursorRequest } from '../core/cursor.ts'
import { countAll, type Db, firstRow } from '../core/db.ts'
import type { TestSessionOptions } from '../core/session-columns.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type TestSessionRow = Omit<Selectable<Tables['test_sessions']>, 'options'>

export interface NewTestSession {
  id: string
  accountId: string
  /** Of the project whose checks it runs, if it is deployed. */
  projectId: string | null
  name: string
  location: string
  privateLocationId: string | null
  userId: string | null
  metadata: TestSessionMetadata
  options: TestSessionOptions
  expected: number
  startedAt: number
  isRecorded: boolean
  suiteId: string | null
  provider: (typeof testSessionProviders)[number]
}

export const { find: findTestSession } = accountRows('test_sessions')

export async function insertTestSession(client: Client, session: NewTestSession): Promise<TestSessionRow> {
  const { rows } = await client.query<TestSessionRow>(
    `insert into test_sessions (id, account_id, name, status, provider, location, private_location_id, invoker_user_id,
      metadata, options, expected, started_at, is_recorded, suite_id, project_id)
    values ($1, $2, $3, 'RUNNING', $13, $4, $5, $6, $7, $8, $9, to_timestamp($10 / 1000.0), $11, $12, $14) returning *`,
    [
      session.id,
      session.accountId,
      session.name,
      session.location,
      session.privateLocationId,
      session.userId,
      JSON.stringify(session.metadata),
      JSON.stringify(session.options),
      session.expected,
      session.startedAt,
      session.isRecorded,
      session.suiteId,
      session.provider,
      session.projectId,
    ],
  )
  return firstRow(rows)
}

export interface EndedRuns {
  done: number
  failed: number
  cancelled: number
}

/** Counts runs that are over, and closes the session with the last of them. True when it did. */
export async function countTestRuns(
  client: Client,
  id: string,
  { done, failed, cancelled }: EndedRuns,
  now: number,
): Promise<boolean> {
  const { rows } = await client.query<{ isOver: boolean }>({
    name: 'count_test_runs',
    text: `
      update test_sessions set done = done + $2, failed = failed + $3, cancelled = cancelled + $4,
        updated_at = to_timestamp($5 / 1000.0),
        stopped_at = case when done + $2 >= expected then to_timestamp($5 / 1000.0) end,
        status = case when done + $2 < expected then status when cancelled + $4 > 0 then 'CANCELLED'
          when failed + $3 > 0 then 'FAILED' else 'PASSED' end
      where id = $1 and stopped_at is null returning stopped_at is not null as "isOver"`,
    values: [id, done, failed, cancelled, now],
  })
  return rows[0]?.isOver ?? false
}

export interface TestScope {
  projectId: string | null
  environment: string | null
  isRecorded: boolean
}

/** What the error groups of each session depend on. */
export async function listTestScopes(
  client: Client,
  ids: readonly string[],
): Promise<Map<string, TestScope>> {
  const { rows } = await client.query<TestScope & { id: string }>({
    name: 'list_test_scopes',
    text: `select id, project_id as "projectId", metadata ->> 'environment' as environment,
        is_recorded as "isRecorded"
      from test_sessions where id = any($1::uuid[])`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

export interface TestSessionFilters {
  from?: number | undefined
  to?: number | undefined
  statuses?: string[] | undefined
  branches?: string[] | undefined
  users?: string[] | undefined
  noUsers?: boolean | undefined
  providers?: (typeof testSessionProviders)[number][] | undefined
  textSearch?: string | undefined
  errorGroupId?: string | undefined
}

export type ListedTestSession = TestSessionRow & { invoker_name: string | null; invoker_email: string | null }

/** Recorded ones, the latest first. */
export async function listTestSessions(
  db: Db,
  accountId: string,
  filters: TestSessionFilters,
  { limit, after }: CursorRequest,
): Promise<CursorPage<ListedTestSession>> {
  let all = db
    .selectFrom('test_sessions as s')
    .where('s.account_id', '=', accountId)
    .where('s.is_recorded', '=', true)
    .where((eb) => eb.and(conditionsOf(filters)))
  const count = all.select(countAll).executeTakeFirstOrThrow()
  if (after !== null) {
    const { createdAt, id } = after
    all = all.where(
      sql<SqlBool>`s.started_at <= ${createdAt} and (s.started_at < ${createdAt} or s.id > ${id})`,
    )
  }
  const page = all
    .leftJoin('users as u', 'u.id', 's.invoker_user_id')
    .selectAll('s')
    .select(['u.name as invoker_name', 'u.email as invoker_email'])
    .orderBy('s.started_at', 'desc')
    .orderBy('s.id')
    .limit(limit + 1)
    .execute()
  const [rows, { total }] = await Promise.all([page, count])
  const entries = rows.slice(0, limit)
  const last = entries.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { entries, total, next: hasMore ? { createdAt: last.started_at, id: last.id } : null }
}

function conditionsOf(filters: TestSessionFilters): RawBuilder<SqlBool>[] {
  const { from, to, statuses, branches, users, noUsers, providers, textSearch, errorGroupId } = filters
  const conditions = [sql<SqlBool>`true`]
  if (from !== undefined) conditions.push(sql`s.started_at >= to_timestamp(${from})`)
  if (to !== undefined) conditions.push(sql`s.started_at < to_timestamp(${to})`)
  if (statuses !== undefined) conditions.push(sql`s.status = any(${statuses})`)
  if (providers !== undefined) conditions.push(sql`s.provider = any(${providers})`)
  if (branches !== undefined) conditions.push(sql`s.metadata ->> 'branchName' = any(${branches})`)
  if (users !== undefined || noUsers === true) {
    const byUser = sql`s.invoker_user_id = any(${users ?? []}::uuid[])`
    conditions.push(noUsers === true ? sql`(${byUser} or s.invoker_user_id is null)` : sql`${byUser}`)
  }
  if (textSearch !== undefined) {
    conditions.push(sql`strpos(lower(concat_ws(' ', s.name, s.metadata ->> 'branchName', s.metadata ->> 'commitId',
      s.metadata ->> 'commitOwner', s.metadata ->> 'commitMessage')), lower(${textSearch})) > 0`)
  }
  if (errorGroupId !== undefined) {
    conditions.push(sql`exists (select 1 from test_session_results r
      where r.test_session_id = s.id and ${errorGroupId}::uuid = any(r.error_group_ids))`)
  }
  return conditions
}
