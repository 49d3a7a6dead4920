import {
  coveragePeriod,
  coveragePeriodIssues,
  getCheckCoverage,
  invalidInput,
  listCoverage,
  maxCoverageDays,
} from '@vedette/contracts'
import { coverageCounts } from '../../analytics/coverage.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as coverage from '../../storage/runs/coverage-reads.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function coverageRoutes({ store, clock }: Deps): Mounted[] {
  const { db, pool } = store
  const periodOf = (query: { from?: number | undefined; to?: number | undefined }, maxDays: number) => {
    const period = coveragePeriod(query, clock.now())
    const issues = coveragePeriodIssues(period, maxDays)
    if (issues.length > 0) throw invalidInput(issues)
    return { ...period, fromMs: period.from * 1000, toMs: period.to * 1000 }
  }
  return [
    handle(getCheckCoverage, async ({ account, params, query }) => {
      const period = periodOf(query, maxCoverageDays.check)
      const check = orNotFound(await coverage.findCoveredCheck(db, account.id, params.id))
      const rows = await coverage.listCoverage(pool, account.id, [check.id], period)
      return {
        ...serialize(check, period, rows),
        rows: rows.map((row) => ({ hour: row.hour, location: row.location, ...coverageCounts([row]) })),
      }
    }),
    handle(listCoverage, async ({ account, query }) => {
      const period = periodOf(query, maxCoverageDays.list)
      const { items, total } = await coverage.listCoveredChecks(db, account.id, query)
      const ids = items.map(({ id }) => id)
      const rows = await coverage.listCoverage(pool, account.id, ids, period)
      const byCheck = Map.groupBy(rows, ({ checkId }) => checkId)
      return { items: items.map((check) => serialize(check, period, byCheck.get(check.id) ?? [])), total }
    }),
  ]
}

function serialize(
  { id, name, check_type }: coverage.CoveredCheck,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  rows: coverage.CoverageRow[],
) {
  return {
    checkId: id,
    name,
    checkType: check_type,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    totals: coverageCounts(rows),
  }
}
