import {
  awaitTestSession,
  cancelTestSession,
  getTestSession,
  listTestSessions,
  type TestSessionRequest,
  triggerTestSession,
} from '@vedette/contracts'
import { cancelTestRuns } from '../../dispatch/cancel-sessions.ts'
import { triggerTest } from '../../runs/trigger-checks.ts'
import { transact } from '../../storage/core/db.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { findProjectsById } from '../../storage/projects/projects.ts'
import { listTestResults } from '../../storage/runs/test-session-results.ts'
import * as sessions from '../../storage/runs/test-sessions.ts'
import type { AccountContext } from '../transport/account-context.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { awaitSession, finalStatusOf } from './await-session.ts'
import { wakeClaims } from './claim-wait.ts'
import { readTestSession, requireTestSession } from './read-test-session.ts'
import { serializeTestSessionEntry } from './serialize-test-session.ts'

export function testSessionRoutes(deps: Deps): Mounted[] {
  const { store, clock } = deps
  const { db } = store
  return [
    handle(listTestSessions, async ({ account, query }) => {
      const page = await sessions.listTestSessions(db, account.id, query, readCursor(query))
      const ids = page.entries.map(({ id }) => id)
      const results = Map.groupBy(
        await listTestResults(db, account.id, ids),
        ({ test_session_id }) => test_session_id,
      )
      const projects = await findProjectsById(
        db,
        account.id,
        page.entries.flatMap(({ project_id }) => project_id ?? []),
      )
      return serializePage(
        page,
        page.entries.map((row) => serializeTestSessionEntry(row, results.get(row.id) ?? [], projects)),
      )
    }),
    handle(triggerTestSession, async ({ account, principal, body }) => {
      const id = await trigger(deps, account, principal.userId, body)
      wakeClaims()
      return readTestSession(deps, account, id)
    }),
    handle(getTestSession, ({ account, params }) => readTestSession(deps, account, params.testSessionId)),
    handle(awaitTestSession, async ({ account, params, query, signal }) => {
      const row = await requireTestSession(deps, account, params.testSessionId)
      await awaitSession(deps, row, query.maxWaitSeconds, signal)
      const session = await readTestSession(deps, account, row.id)
      const status = finalStatusOf(session, ['PASSED', 'FAILED', 'CANCELLED'])
      return { ...session, status, stoppedAt: session.stoppedAt ?? session.startedAt }
    }),
    handle(cancelTestSession, async ({ account, params, body }) => {
      const row = await requireTestSession(deps, account, params.testSessionId)
      await inTransaction(store.pool, (client) =>
        cancelTestRuns(client, row.id, body.sequenceId, clock.now()),
      )
    }),
  ]
}

async function trigger(
  { store, vault, clock }: Deps,
  account: AccountContext,
  userId: string | null,
  body: TestSessionRequest,
): Promise<string> {
  const request = { ...body, accountId: account.id, userId }
  const { session } = await transact(store.db, (tx) => triggerTest(tx, vault, request, clock.now()))
  return session.id
}
