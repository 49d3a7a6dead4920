// Results of test sessions: each run has a pending row from the start, which its final attempt fills; earlier attempts are
// separate rows.
import type { RanAt } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import { columnKinds, constant, insertMany } from '../core/insert-many.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'
import type { TestSessionRow } from './test-sessions.ts'

export type TestResultRow = Selectable<Tables['test_session_results']>

/** Without the evidence, which may be large. */
export type ListedTestResult = Omit<TestResultRow, 'detail'>

export const listedColumns = [
  'id',
  'account_id',
  'test_session_id',
  'check_id',
  'check_type',
  'name',
  'sequence_id',
  'attempt',
  'result_type',
  'status',
  'location',
  'ran_at',
  'private_location_id',
  'has_failures',
  'has_errors',
  'is_degraded',
  'is_cancelled',
  'over_max_response_time',
  'response_time',
  'started_at',
  'stopped_at',
  'schedule_error',
  'error_group_ids',
  'check_run_id',
  'logical_id',
  'file_path',
  'created_at',
  'updated_at',
] as const satisfies (keyof ListedTestResult)[]

/** By name and attempt. */
export async function listTestResults(
  db: Db,
  accountId: string,
  sessionIds: readonly string[],
): Promise<ListedTestResult[]> {
  if (sessionIds.length === 0) return []
  return db
    .selectFrom('test_session_results')
    .select(listedColumns)
    .where('account_id', '=', accountId)
    .where('test_session_id', 'in', sessionIds)
    .orderBy('name')
    .orderBy('sequence_id')
    .orderBy('attempt')
    .execute()
}

export async function findTestResult(
  db: Db,
  accountId: string,
  sessionId: string,
  id: string,
): Promise<TestResultRow | null> {
  const row = await db
    .selectFrom('test_session_results')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('test_session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export interface PendingRun {
  id: string
  /** Null: a draft of a new check. */
  checkId: string | null
  checkType: string
  name: string
  sequenceId: string
  location: string
  privateLocationId: string | null
  origin?: RunOrigin | undefined
}

/** Where a run comes from, in the words of the client that started it. */
export interface RunOrigin {
  checkRunId: string | null
  logicalId: string | null
  filePath: string | null
}

const pending = columnKinds<PendingRun & { session: TestSessionRow }>()

const insertPending = insertMany('insert_pending_results', 'test_session_results', {
  id: pending.uuid((run) => run.id),
  account_id: pending.uuid((run) => run.session.account_id),
  test_session_id: pending.uuid((run) => run.session.id),
  check_id: pending.uuid((run) => run.checkId),
  check_type: pending.word((run) => run.checkType),
  name: pending.text((run) => run.name),
  sequence_id: pending.uuid((run) => run.sequenceId),
  attempt: constant('0'),
  result_type: constant("'PENDING'"),
  status: constant("'RUNNING'"),
  location: pending.text((run) => run.location),
  private_location_id: pending.uuid((run) => run.privateLocationId),
  check_run_id: pending.uuid((run) => run.origin?.checkRunId ?? null),
  logical_id: pending.text((run) => run.origin?.logicalId ?? null),
  file_path: pending.text((run) => run.origin?.filePath ?? null),
})

export async function insertPendingResults(
  client: Client,
  session: TestSessionRow,
  runs: readonly PendingRun[],
): Promise<void> {
  await insertPending(
    client,
    runs.map((run) => ({ ...run, session })),
  )
}

export interface TestAttempt {
  /** Null for a final attempt, which fills the pending row. */
  id: string | null
  testSessionId: string
  sequenceId: string
  attempt: number
  status: 'PASSED' | 'FAILED' | 'CANCELLED'
  location: string
  ranAt: RanAt | null
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  overMaxResponseTime: boolean
  responseTimeMs: number | null
  startedAt: number | null
  stoppedAt: number | null
  scheduleError: string | null
  errorGroupIds: string[]
  detail: string | null
}

// Rows are passed as JSON: unnest() can't have array columns.
const attempts = `jsonb_to_recordset($1::jsonb) as r ("id" uuid, "testSessionId" uuid, "sequenceId" uuid,
  "attempt" smallint, "status" text, "location" text, "ranAt" jsonb, "hasFailures" boolean, "hasErrors" boolean,
  "isDegraded" boolean, "isCancelled" boolean, "overMaxResponseTime" boolean, "responseTimeMs" real, "startedAt" float8, "stoppedAt" float8,
  "scheduleError" text, "errorGroupIds" uuid[], "position" integer)`

const insertText = `
  insert into test_session_results (id, account_id, test_session_id, check_id, check_type, name, sequence_id, attempt,
    result_type, status, location, private_location_id, has_failures, has_errors, is_degraded, is_cancelled,
    over_max_response_time, response_time, started_at, stopped_at, error_group_ids, detail, ran_at, check_run_id,
    logical_id, file_path)
  select r."id", p.account_id, p.test_session_id, p.check_id, p.check_type, p.name, p.sequence_id, r."attempt",
    'ATTEMPT', r."status", r."location", p.private_location_id, r."hasFailures", r."hasErrors", r."isDegraded",
    r."isCancelled", r."overMaxResponseTime", r."responseTimeMs", to_timestamp(r."startedAt" / 1000.0),
    to_timestamp(r."stoppedAt" / 1000.0), r."errorGroupIds", ($2::text[])[r."position"], r."ranAt", p.check_run_id,
    p.logical_id, p.file_path
  from ${attempts} join test_session_results p on p.test_session_id = r."testSessionId"
    and p.sequence_id = r."sequenceId" and p.result_type <> 'ATTEMPT'
  on conflict do nothing returning id, test_session_id as "testSessionId", sequence_id as "sequenceId", attempt`

const finishText = `
  update test_session_results t set attempt = r."attempt", result_type = 'FINAL', status = r."status",
    location = r."location", ran_at = r."ranAt", has_failures = r."hasFailures", has_errors = r."hasErrors", is_degraded = r."isDegraded",
    is_cancelled = r."isCancelled", over_max_response_time = r."overMaxResponseTime",
    response_time = r."responseTimeMs", started_at = to_timestamp(r."startedAt" / 1000.0),
    stopped_at = to_timestamp(r."stoppedAt" / 1000.0), schedule_error = r."scheduleError",
    error_group_ids = r."errorGroupIds", detail = ($2::text[])[r."position"], updated_at = to_timestamp($3 / 1000.0)
  from ${attempts} where t.test_session_id = r."testSessionId" and t.sequence_id = r."sequenceId"
    and t.result_type = 'PENDING'
  returning t.id, t.test_session_id as "testSessionId", t.sequence_id as "sequenceId", t.attempt`

type LocatedRun = Pick<TestAttempt, 'testSessionId' | 'sequenceId' | 'location'>
type AttemptKey = Pick<TestAttempt, 'testSessionId' | 'sequenceId' | 'attempt'> & { id: string }

/** Returns those that are new. */
export async function insertAttempts(client: Client, rows: readonly TestAttempt[]): Promise<AttemptKey[]> {
  if (rows.length === 0) return []
  return (await client.query<AttemptKey>(insertText, parametersOf(rows))).rows
}

/** Returns the runs that were pending; the others have already ended and don't change. */
export async function finishRuns(
  client: Client,
  rows: readonly TestAttempt[],
  now: number,
): Promise<AttemptKey[]> {
  if (rows.length === 0) return []
  // The same attempt may be stored as one to be retried, if its lane was lost in between: the last report counts.
  await client.query(
    `delete from test_session_results t using ${attempts} where t.test_session_id = r."testSessionId"
      and t.sequence_id = r."sequenceId" and t.attempt = r."attempt" and t.result_type = 'ATTEMPT'`,
    [parametersOf(rows)[0]],
  )
  return (await client.query<AttemptKey>(finishText, [...parametersOf(rows), now])).rows
}

/** Details are passed as separate text: jsonb refuses some characters of responses. */
function parametersOf(rows: readonly TestAttempt[]): [string, (string | null)[]] {
  const plain = rows.map(({ detail: _, ...row }, index) => ({ ...row, position: index + 1 }))
  return [JSON.stringify(plain), rows.map(({ detail }) => detail)]
}

/** The unfinished runs of this session. */
export async function listPendingRuns(client: Client, sessionId: string): Promise<LocatedRun[]> {
  const { rows } = await client.query<LocatedRun>(
    `select test_session_id as "testSessionId", sequence_id as "sequenceId", location
    from test_session_results where test_session_id = $1 and result_type = 'PENDING'`,
    [sessionId],
  )
  return rows
}

/** Pending runs without a lane, such as those of a deleted check. */
export async function listLostRuns(client: Client, startedBefore: number): Promise<LocatedRun[]> {
  const { rows } = await client.query<LocatedRun>(
    `select t.test_session_id as "testSessionId", t.sequence_id as "sequenceId", t.location
    from test_sessions s join test_session_results t on t.test_session_id = s.id and t.result_type = 'PENDING'
    where s.stopped_at is null and s.started_at < to_timestamp($1 / 1000.0) and not exists (
      select 1 from schedule q where q.test_session_id = s.id and q.lane = 'test:' || s.id || ':' || t.sequence_id)
    limit 1000`,
    [startedBefore],
  )
  return rows
}
