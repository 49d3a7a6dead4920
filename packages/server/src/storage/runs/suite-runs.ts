// The runs of a suite: what a command-line client started under an id of its own, and follows by it.
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { type ListedTestResult, listedColumns } from './test-session-results.ts'

export interface SuiteSession {
  id: string
  isRecorded: boolean
  streamsLogs: boolean
  updatesSnapshots: boolean
  isOver: boolean
}

/** A suite has one session, unless its client repeated a request. */
const maxSessions = 10

export async function listSuiteSessions(db: Db, accountId: string, suiteId: string): Promise<SuiteSession[]> {
  return db
    .selectFrom('test_sessions')
    .select(['id', 'is_recorded as isRecorded'])
    .select([
      sql<boolean>`stopped_at is not null`.as('isOver'),
      sql<boolean>`coalesce((options ->> 'streamLogs')::boolean, false)`.as('streamsLogs'),
      sql<boolean>`coalesce((options ->> 'updateSnapshots')::boolean, false)`.as('updatesSnapshots'),
    ])
    .where('account_id', '=', accountId)
    .where('suite_id', '=', suiteId)
    .orderBy('started_at')
    .limit(maxSessions)
    .execute()
}

export type SuiteRun = ListedTestResult & {
  /** Whether there is evidence. */
  hasDetail: boolean
}

/** Runs that an agent has begun, and ends of attempts and runs, in order of their ends; without those that the caller knows. */
export async function listSuiteRuns(
  db: Db,
  accountId: string,
  sessionId: string,
  { now, known }: { now: number; known: readonly string[] },
): Promise<SuiteRun[]> {
  const isBegun = sql<SqlBool>`exists (select 1 from schedule q where q.test_session_id = t.test_session_id
    and q.lane = 'test:' || t.test_session_id || ':' || t.sequence_id
    and q.lease_id is not null and q.due_at > ${new Date(now)})`
  return db
    .selectFrom('test_session_results as t')
    .select(listedColumns)
    .select(sql<boolean>`t.detail is not null`.as('hasDetail'))
    .where('t.account_id', '=', accountId)
    .where('t.test_session_id', '=', sessionId)
    .where(sql<SqlBool>`t.id <> all(${known}::uuid[])`)
    .where((eb) => eb.or([eb('t.result_type', '<>', 'PENDING'), isBegun]))
    .orderBy('t.stopped_at')
    .orderBy('t.attempt')
    .execute()
}
