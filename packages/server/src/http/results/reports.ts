import {
  coveragePeriod,
  coveragePeriodIssues,
  getReport,
  invalidInput,
  maxReportDays,
} from '@vedette/contracts'
import type { Range } from '../../analytics/range.ts'
import { CheckReports } from '../../overview/check-report.ts'
import { filterChecks } from '../../overview/select-checks.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { keptSince } from './analytics-range.ts'

export function reportRoutes(deps: Deps): Mounted[] {
  const { store, overviews, clock } = deps
  const reports = new CheckReports(store.pool)
  return [
    handle(getReport, async ({ account, query }) => {
      const now = clock.now()
      const period = coveragePeriod(query, now)
      const issues = coveragePeriodIssues(period, maxReportDays)
      if (issues.length > 0) throw invalidInput(issues)
      const range = { from: period.from * 1000, to: period.to * 1000 }
      const { entries } = await overviews.read(account.id)
      const { activated, sort, order, limit, offset } = query
      const checks = filterChecks(entries, query).filter(
        ({ row }) => activated === undefined || row.activated === activated,
      )
      const report = await reports.read({
        ...{ accountId: account.id, checks, range, keptSince: keptSince(deps), now },
        ...{ sort, isDescending: order === 'desc', limit, offset },
      })
      return {
        period: serializeRange(range),
        previousPeriod: serializeRange(report.previousRange),
        total: checks.length,
        totals: report.totals,
        previousTotals: report.previousTotals,
        entries: report.entries.map(({ check: { row }, figures, previous }) => ({
          checkId: row.id,
          name: row.name,
          checkType: row.checkType,
          groupId: row.groupId,
          groupName: row.groupName,
          tags: row.tags,
          activated: row.activated,
          figures,
          previous,
        })),
      }
    }),
  ]
}

function serializeRange({ from, to }: Range) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}
