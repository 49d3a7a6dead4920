// Starts a test session. In: checks and the one location to run them in. Out: the session, a pending result for each
// check, and the queued runs.
import { randomUUID } from 'node:crypto'
import type { TestSessionRequest } from '@vedette/contracts'
import type { Client } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'
import { insertSessionRuns } from '../storage/runs/session-runs.ts'
import { insertPendingResults } from '../storage/runs/test-session-results.ts'
import { insertTestSession, type TestSessionRow } from '../storage/runs/test-sessions.ts'
import type { ChosenCheck, RunLocation } from './choose-checks.ts'
import { sessionRunId } from './run-id.ts'

export interface TestRequest
  extends Pick<
    TestSessionRequest,
    'name' | 'environmentVariables' | 'retryStrategy' | 'refreshCache' | 'metadata'
  > {
  accountId: string
  userId: string | null
  /** All of them have the location of this session. */
  checks: readonly (Omit<ChosenCheck, 'runLocations'> & { runLocation: RunLocation })[]
  location: string
  privateLocationId: string | null
}

export async function startTestSession(
  client: Client,
  vault: Vault,
  request: TestRequest,
  now: number,
): Promise<TestSessionRow> {
  const { accountId, checks, location, privateLocationId } = request
  const id = randomUUID()
  const session = await insertTestSession(client, {
    id,
    accountId,
    name: request.name,
    location,
    privateLocationId,
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
    },
    expected: checks.length,
    startedAt: now,
  })
  const runs = checks.map((check) => ({ check, sequenceId: sessionRunId(id, check.id, location) }))
  await insertPendingResults(
    client,
    session,
    runs.map(({ check, sequenceId }) => ({ ...check, checkId: check.id, id: randomUUID(), sequenceId })),
  )
  await insertSessionRuns(
    client,
    runs.map(({ check, sequenceId }) => ({
      accountId,
      checkId: check.id,
      sessionId: id,
      kind: 'test' as const,
      part: sequenceId,
      location,
      queue: check.runLocation.queue,
      askedAt: now,
      isWaiting: false,
    })),
  )
  return session
}
