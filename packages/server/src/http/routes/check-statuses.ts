import { type CheckStatus, getCheckStatus, listCheckStatuses } from '@vedette/contracts'
import type { z } from 'zod'
import * as statuses from '../../storage/status-reads.ts'
import type { Deps } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'

/** choice: a check that never ran has no status: it stands in no list (spec §4.12 would allow a null), and is a 404. */
export function checkStatusRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listCheckStatuses, async ({ account }) => {
      return (await statuses.listCheckStatuses(db, account.id)).map(presentStatus)
    }),
    handle(getCheckStatus, async ({ account, params }) => {
      return presentStatus(found(await statuses.findCheckStatus(db, account.id, params.checkId)))
    }),
  ]
}

function presentStatus(row: statuses.CheckStatusRow): z.output<typeof CheckStatus> {
  return {
    name: row.name,
    checkId: row.check_id,
    hasFailures: row.has_failures,
    hasErrors: row.has_errors,
    isDegraded: row.is_degraded,
    longestRun: row.longest_run,
    shortestRun: row.shortest_run,
    // Heartbeats run nowhere.
    lastRunLocation: row.last_run_location || null,
    ranAt: row.ran_at as z.output<typeof CheckStatus>['ranAt'],
    lastCheckRunId: row.last_check_run_id,
    sslDaysRemaining: row.ssl_days_remaining,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
