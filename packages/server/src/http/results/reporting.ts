import { getReporting, hourMs, type QueryOf, reportingRanges } from '@vedette/contracts'
import { floorTo } from '../../analytics/range.ts'
import { reportOnEach, reportOnEachInBuckets } from '../../analytics/reporting.ts'
import { listReportedChecks, type ReportedCheck } from '../../storage/checks/reported-checks.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { keptSince, requestedRange } from './analytics-range.ts'

export function reportingRoutes(deps: Deps): Mounted[] {
  const { store, clock } = deps
  return [
    handle(getReporting, async ({ account, query }) => {
      const range = rangeOfReport(query, clock.now())
      const activated = query.deactivated === undefined ? undefined : !query.deactivated
      const checks = await listReportedChecks(store.pool, account.id, { tags: query.filterByTags, activated })
      const question = { accountId: account.id, checks, range, keptSince: keptSince(deps) }
      const { granularity, timezone = 'UTC' } = query
      if (granularity === undefined) {
        const aggregate = await reportOnEach(store.pool, question)
        return checks.map((check) => ({ ...serializeCheck(check), aggregate: aggregate(check.id) }))
      }
      const aggregates = await reportOnEachInBuckets(store.pool, { ...question, granularity, timezone })
      return checks.map((check) => ({ ...serializeCheck(check), aggregates: aggregates(check.id) }))
    }),
  ]
}

function rangeOfReport({ from, to, quickRange }: QueryOf<typeof getReporting>, now: number) {
  const range = requestedRange({ from, to, quickRange: reportingRanges[quickRange] }, now)
  // Start at a full hour, so that rollups can be used: part of an hour would be read from the results of every check.
  return from === undefined && to === undefined ? { ...range, from: floorTo(range.from, hourMs) } : range
}

function serializeCheck({ id, type, name, activated, tags }: ReportedCheck) {
  return { name, checkId: id, checkType: type, deactivated: !activated, tags }
}
