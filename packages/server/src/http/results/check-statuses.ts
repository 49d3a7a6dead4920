import { type CheckStatus, getCheckStatus, listCheckStatuses } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { readCheckStates, type StatedCheck } from '../../states/read-check-states.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

/** choice: a check that never ran is listed too, as unknown: a check that can't run must not be invisible. */
export function checkStatusRoutes({ store: { pool }, clock }: Deps): Mounted[] {
  return [
    handle(listCheckStatuses, async ({ account }) => {
      return (await readCheckStates(pool, { accountId: account.id }, clock.now())).map(serializeStatus)
    }),
    handle(getCheckStatus, async ({ account, params }) => {
      const which = { accountId: account.id, checkIds: [params.checkId] }
      const [check] = await readCheckStates(pool, which, clock.now())
      return serializeStatus(orNotFound(check ?? null))
    }),
  ]
}

function serializeStatus({ row, state }: StatedCheck): z.output<typeof CheckStatus> {
  return {
    name: row.name,
    checkId: row.id,
    hasFailures: row.verdict === 'failing',
    hasErrors: row.hasErrors,
    isDegraded: row.verdict === 'degraded',
    longestRun: row.longestRun,
    shortestRun: row.shortestRun,
    // Heartbeat monitors have no location.
    lastRunLocation: row.lastRunLocation || null,
    ranAt: row.ranAt,
    lastCheckRunId: row.lastCheckRunId,
    sslDaysRemaining: row.sslDaysRemaining,
    created_at: new Date(row.statusCreatedAt ?? row.createdAt).toISOString(),
    updated_at: row.statusUpdatedAt === null ? null : new Date(row.statusUpdatedAt).toISOString(),
    ...state,
  }
}
