import { type CheckType, compareCheckResult } from '@vedette/contracts'
import { listDeployments } from '../../storage/checks/deployments.ts'
import { findLastPassing, type ResultRow } from '../../storage/results/result-reads.ts'
import { serializeDeployment } from '../checks/serialize-deployment.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { compareResults } from './compare-results.ts'
import type { ComparedResult } from './compared-result.ts'
import { readDetail } from './result-detail.ts'
import { requireResult } from './result-files.ts'

const maxDeployments = 20

export function resultComparisonRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(compareCheckResult, async ({ account, params }) => {
      const { row, check } = await requireResult(db, account.id, params)
      const passing = await findLastPassing(db, { accountId: account.id, checkId: check.id }, row)
      if (passing === null)
        return { passingResultId: null, passingAt: null, differences: [], deployments: [] }
      const between = {
        from: Date.parse(passing.scheduled_at),
        to: Date.parse(row.stopped_at),
        ...{ limit: maxDeployments, page: 1 },
      }
      const { items } = await listDeployments(db, account.id, between)
      const concerned = items.filter(({ check_id }) => check_id === null || check_id === check.id)
      return {
        passingResultId: passing.id,
        passingAt: passing.scheduled_at,
        differences: compareResults(comparedOf(passing, check.check_type), comparedOf(row, check.check_type)),
        deployments: concerned.map(serializeDeployment),
      }
    }),
  ]
}

function comparedOf(row: ResultRow, checkType: CheckType): ComparedResult {
  return {
    checkType,
    statusCode: row.status_code,
    failureMessage: row.failure_message,
    responseTimeMs: row.response_time,
    detail: readDetail(row.detail),
  }
}
