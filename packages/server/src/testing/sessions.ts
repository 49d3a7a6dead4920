// Sessions that are over, as agents would end them: through the functions that settle uses.
import { randomUUID } from 'node:crypto'
import { sessionRunId } from '../dispatch/run-id.ts'
import { settleCheckSession, settleTestRuns } from '../dispatch/sessions.ts'
import { recordResults } from '../ingest/record.ts'
import type { RunResult } from '../ingest/run-result.ts'
import type { Store } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import type { Caller, TestApi } from './api.ts'
import { type SomeResult, wholeResult } from './results.ts'

export interface StartedSession {
  checkSessionId: string
  checkId: string
  checkType: RunResult['checkType']
  runLocations: string[]
  startedAt: string
}

export type RunPart = Partial<Omit<SomeResult, 'accountId' | 'checkId' | 'scheduledAt'>>

/** What an agent reports of the run in one location of a session. */
export function sessionResult(
  accountId: string,
  session: StartedSession,
  location: string,
  part: RunPart = {},
): RunResult {
  const { checkSessionId, checkId, checkType, startedAt } = session
  return wholeResult({
    accountId,
    checkId,
    checkType,
    scheduledAt: Date.parse(startedAt),
    source: 'session',
    location,
    runId: sessionRunId(checkSessionId, checkId, location),
    checkSessionId,
    ...part,
  })
}

/** Recorded and settled in one transaction, and the lanes gone, as the dispatcher does it. */
export async function endCheckRuns(
  store: Pick<Store, 'pool'>,
  sessionId: string,
  results: RunResult[],
): Promise<void> {
  const now = Date.now()
  await inTransaction(store.pool, async (client) => {
    const recorded = await recordResults(client, results, { now, isAlerting: true })
    await settleCheckSession(client, sessionId, recorded, now)
    const ended = recorded.filter(({ resultType }) => resultType === 'FINAL')
    await client.query('delete from schedule where check_session_id = $1 and location = any($2::text[])', [
      sessionId,
      ended.map(({ location }) => location),
    ])
  })
}

/** A passed check session. */
export async function createCheckSession(api: TestApi, owner: Caller, checkId: string): Promise<string> {
  const { body } = await owner.post('/v2/check-sessions/trigger', { target: { checkId: [checkId] } })
  const session: StartedSession = body.sessions[0]
  const results = session.runLocations.map((location) => sessionResult(owner.accountId, session, location))
  await endCheckRuns(api.store, session.checkSessionId, results)
  return session.checkSessionId
}

export interface CreatedTestSession {
  testSessionId: string
  testSessionResultId: string
  errorGroupId: string
  projectId: string
}

/** A failed one with everything that a run can leave. */
export async function createTestSession(
  api: TestApi,
  owner: Caller,
  checkId: string,
): Promise<CreatedTestSession> {
  const response = await owner.post('/v1/test-sessions/trigger', {
    name: 'Before the release',
    runLocation: 'eu-west-1',
    target: { checkId: [checkId] },
    metadata: { environment: 'staging' },
  })
  const { testSessionId, startedAt } = response.body
  const projectId = randomUUID()
  await api.store.pool.query('update test_sessions set project_id = $2 where id = $1', [
    testSessionId,
    projectId,
  ])
  const failure = { kind: 'connect', message: 'connection refused', phase: 'connect' } as const
  const line = { time: 1, msg: 'hello', level: 'INFO' }
  const result = wholeResult({
    accountId: owner.accountId,
    checkId,
    scheduledAt: Date.parse(startedAt),
    runId: sessionRunId(testSessionId, checkId, 'eu-west-1'),
    hasFailures: true,
    failure,
    detail: {
      failure,
      observed: { requestError: failure.message },
      jobLog: { setup: [line], request: [line], teardown: [] },
      diagnostics: { pcapDataUrl: `data:application/vnd.tcpdump.pcap;base64,${btoa('packets')}` },
    },
  })
  await inTransaction(api.store.pool, (client) =>
    settleTestRuns(client, [{ ...result, testSessionId }], Date.now()),
  )
  const { body } = await owner.get(`/v1/test-sessions/${testSessionId}`)
  return {
    testSessionId,
    testSessionResultId: body.results[0].testSessionResultId,
    errorGroupId: body.errorGroupIds[0],
    projectId,
  }
}
