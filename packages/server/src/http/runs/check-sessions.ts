import {
  ApiError,
  awaitCheckSession,
  awaitCheckSessionV2,
  type BodyOf,
  cancelCheckSession,
  cancelSession,
  finalCheckSessionStatuses,
  getCheckSession,
  getCheckSessionV2,
  triggerCheckSessions,
  triggerCheckSessionsV2,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { cancelCheckRuns, cancelTestRuns } from '../../dispatch/cancel-sessions.ts'
import { sessionRunId } from '../../dispatch/run-id.ts'
import { triggerChecks } from '../../runs/trigger-checks.ts'
import { transact } from '../../storage/core/db.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import {
  type CheckSessionRow,
  findCheckSession,
  listSessionResults,
} from '../../storage/runs/check-sessions.ts'
import { findTestSession } from '../../storage/runs/test-sessions.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Call } from '../transport/call.ts'
import { type Deps, linksOf } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { awaitSession, finalStatusOf } from './await-session.ts'
import { wakeClaims } from './claim-wait.ts'
import {
  type SessionReader,
  serializeCheckSession,
  serializeSessionResult,
} from './serialize-check-session.ts'

type Version = SessionReader['version']

export function checkSessionRoutes(deps: Deps): Mounted[] {
  const { store } = deps
  return [
    handle(triggerCheckSessions, ({ account, body }) => trigger(deps, account, body, 1)),
    handle(triggerCheckSessionsV2, ({ account, body }) => trigger(deps, account, body, 2)),
    handle(getCheckSession, ({ account, params }) => read(deps, account, params.checkSessionId, 1)),
    handle(getCheckSessionV2, ({ account, params }) => read(deps, account, params.checkSessionId, 2)),
    handle(awaitCheckSession, (call) => complete(deps, call, 1)),
    handle(awaitCheckSessionV2, (call) => complete(deps, call, 2)),
    handle(cancelCheckSession, async ({ account, params, body }) => {
      await cancel(deps, await find(deps, account, params.checkSessionId), body.sequenceId)
    }),
    handle(cancelSession, async ({ account, body }) => {
      const { checkSessionId, testSessionId, sequenceId } = body
      if (checkSessionId !== undefined) {
        await cancel(deps, await find(deps, account, checkSessionId), sequenceId)
      } else if (testSessionId !== undefined) {
        const session = orNotFound(await findTestSession(store.db, account.id, testSessionId))
        await inTransaction(store.pool, (client) =>
          cancelTestRuns(client, session.id, sequenceId, deps.clock.now()),
        )
      }
    }),
  ]
}

async function trigger(
  deps: Deps,
  account: AccountContext,
  { target = {}, refreshCache }: BodyOf<typeof triggerCheckSessions>,
  version: Version,
) {
  const request = { accountId: account.id, target, refreshCache }
  const rows = await transact(deps.store.db, (tx) => triggerChecks(tx, request, deps.clock.now()))
  wakeClaims()
  const reader = await readerOf(deps, account, version)
  return { sessions: rows.map((row) => serializeCheckSession(row, reader)) }
}

async function find({ store }: Deps, account: AccountContext, id: string): Promise<CheckSessionRow> {
  const row = await findCheckSession(store.db, account.id, id)
  if (row === null) throw new ApiError('not_found', { message: 'No such check session.' })
  return row
}

async function read(deps: Deps, account: AccountContext, id: string, version: Version) {
  const row = await find(deps, account, id)
  const results = await listSessionResults(deps.store.db, row)
  const reader = await readerOf(deps, account, version)
  return {
    ...serializeCheckSession(row, reader),
    results: results.map((result) => serializeSessionResult(row, result, reader)),
  }
}

async function complete(
  deps: Deps,
  { account, params, query, signal }: Call<typeof awaitCheckSession>,
  version: Version,
) {
  const row = await find(deps, account, params.checkSessionId)
  await awaitSession(deps, row, query.maxWaitSeconds, signal)
  const session = await read(deps, account, row.id, version)
  const status = finalStatusOf(session, finalCheckSessionStatuses)
  return { ...session, status, stoppedAt: session.stoppedAt ?? session.startedAt }
}

/** Does nothing to a session that is over. */
async function cancel(
  { store, clock }: Deps,
  row: CheckSessionRow,
  sequenceIds: readonly string[] | undefined,
): Promise<void> {
  const all = row.run_locations.map((location) => ({
    location,
    runId: sessionRunId(row.id, row.check_id, location),
  }))
  const runs = sequenceIds === undefined ? all : all.filter(({ runId }) => sequenceIds.includes(runId))
  await inTransaction(store.pool, (client) => cancelCheckRuns(client, { id: row.id, runs }, clock.now()))
}

async function readerOf(deps: Deps, account: AccountContext, version: Version): Promise<SessionReader> {
  return { linkTo: await linksOf(deps, account.id), now: deps.clock.now(), version }
}
