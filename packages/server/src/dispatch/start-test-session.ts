// Starts a test session. In: checks or drafts, and where each runs. Out: the session, a pending result for each run, and the
// queued runs.
import { randomUUID } from 'node:crypto'
import type { CheckType, TestSessionRequest } from '@vedette/contracts'
import type { Client } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'
import { type Draft, insertDrafts } from '../storage/runs/drafts.ts'
import { insertSessionRuns } from '../storage/runs/session-runs.ts'
import { insertPendingResults, type RunOrigin } from '../storage/runs/test-session-results.ts'
import { insertTestSession, type NewTestSession, type TestSessionRow } from '../storage/runs/test-sessions.ts'
import type { RunLocation } from './choose-checks.ts'
import { sessionRunId } from './run-id.ts'

export interface TestRequest<R extends TestRun>
  extends Pick<
    TestSessionRequest,
    'name' | 'environmentVariables' | 'retryStrategy' | 'refreshCache' | 'metadata'
  > {
  accountId: string
  userId: string | null
  /** False: not listed, and deleted an hour after its end. */
  isRecorded: boolean
  /** At least one. */
  runs: readonly R[]
  drafts: readonly Draft[]
  /** Of a client that follows the runs under an id of its own. */
  suite?: { id: string; streamLogs: boolean; updateSnapshots?: boolean } | undefined
  provider?: NewTestSession['provider'] | undefined
  projectId?: string | null | undefined
}

export interface TestRun {
  /** Of the check or the draft. */
  id: string
  checkType: CheckType
  name: string
  runLocation: RunLocation
  origin?: RunOrigin | undefined
}

export type Started<R extends TestRun> = R & { resultId: string; sequenceId: string }

/** The runs in the order given. */
export async function startTestSession<R extends TestRun>(
  client: Client,
  vault: Vault,
  request: TestRequest<R>,
  now: number,
): Promise<{ session: TestSessionRow; runs: Started<R>[] }> {
  const { accountId, drafts } = request
  const id = randomUUID()
  const runs = request.runs.map((run) => ({
    ...run,
    resultId: randomUUID(),
    sequenceId: sessionRunId(id, run.id, run.runLocation.location),
  }))
  const [first] = runs
  if (first === undefined) throw new Error('a test session needs a run')
  const session = await insertTestSession(client, {
    id,
    accountId,
    projectId: request.projectId ?? null,
    name: request.name,
    location: first.runLocation.location,
    privateLocationId: first.runLocation.privateLocationId,
    userId: request.userId,
    metadata: request.metadata,
    options: {
      environmentVariables: request.environmentVariables.map((variable) => ({
        ...variable,
        value:
          variable.secret || variable.locked
            ? vault.seal(accountId, variable.value ?? '')
            : (variable.value ?? ''),
      })),
      retryStrategy: request.retryStrategy,
      refreshCache: request.refreshCache,
      ...(request.suite?.streamLogs && { streamLogs: true }),
      ...(request.suite?.updateSnapshots && { updateSnapshots: true }),
    },
    expected: runs.length,
    startedAt: now,
    isRecorded: request.isRecorded,
    suiteId: request.suite?.id ?? null,
    provider: request.provider ?? 'API',
  })
  await insertDrafts(client, vault, { accountId, sessionId: id }, drafts)
  const draftOf = new Map(drafts.map((draft) => [draft.id, draft]))
  await insertPendingResults(
    client,
    session,
    runs.map(({ id: ofRun, checkType, name, resultId, sequenceId, runLocation, origin }) => {
      const draft = draftOf.get(ofRun)
      const checkId = draft === undefined ? ofRun : draft.checkId
      return { id: resultId, checkId, checkType, name, sequenceId, ...runLocation, origin }
    }),
  )
  await insertSessionRuns(
    client,
    runs.map(({ id: ofRun, sequenceId, runLocation }) => ({
      accountId,
      ...(draftOf.has(ofRun) ? { checkId: null, draftId: ofRun } : { checkId: ofRun, draftId: null }),
      sessionId: id,
      kind: 'test' as const,
      part: sequenceId,
      location: runLocation.location,
      queue: runLocation.queue,
      askedAt: now,
      isWaiting: false,
    })),
  )
  return { session, runs }
}
