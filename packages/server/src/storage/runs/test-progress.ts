// The progress of a test session: its results, and for unfinished runs what their lanes say.
import type { TestRunProgress } from '@vedette/contracts'
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import type { Db } from '../core/db.ts'

type Progress = z.output<typeof TestRunProgress>

/** `due_at` of a leased lane is the end of the lease: an expired one waits for another agent. */
const state = (now: Date): RawBuilder<Progress['state']> => sql`case when t.result_type = 'FINAL' then 'ended'
  when q.lease_id is not null and q.due_at > ${now} then 'running'
  when q.attempt > 1 then 'retrying' else 'waiting' end`

/** By name, each run once. */
export async function listRunProgress(
  db: Db,
  accountId: string,
  sessionId: string,
  now: number,
): Promise<Progress[]> {
  return db
    .selectFrom('test_session_results as t')
    .leftJoin('schedule as q', (join) =>
      join
        .onRef('q.test_session_id', '=', 't.test_session_id')
        .on('q.lane', '=', sql<string>`'test:' || t.test_session_id || ':' || t.sequence_id`),
    )
    .leftJoin('agents as a', 'a.id', 'q.agent_id')
    .select(['t.id as testSessionResultId', 't.sequence_id as sequenceId', 't.check_id as checkId'])
    .select(['t.check_type as checkType', 't.name', 't.status', 't.response_time as responseTime'])
    .select([
      state(new Date(now)).as('state'),
      sql<string>`coalesce(q.location, t.location)`.as('runLocation'),
      sql<number>`case when q.run_id is null then t.attempt else q.attempt end`.as('attempt'),
      sql<string | null>`coalesce(t.ran_at ->> 'agentName', a.name)`.as('agentName'),
      't.started_at as startedAt',
      't.stopped_at as stoppedAt',
      't.schedule_error as scheduleError',
    ])
    .where('t.account_id', '=', accountId)
    .where('t.test_session_id', '=', sessionId)
    .where('t.result_type', '<>', 'ATTEMPT')
    .orderBy('t.name')
    .orderBy('t.sequence_id')
    .execute()
}
