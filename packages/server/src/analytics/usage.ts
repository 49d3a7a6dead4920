// How many runs the checks of an account made, by day and type.
import { type CheckType, dayMs, type Granularity } from '@vedette/contracts'
import { listReportedChecks } from '../storage/checks/reported-checks.ts'
import type { Pool } from '../storage/core/db.ts'
import { countRunsByDay, type DayOfRuns } from '../storage/results/tallies.ts'
import { calendarRanges } from './calendar.ts'
import { partsOf, type Range } from './range.ts'

interface UsageQuery {
  accountId: string
  /** Whole days in UTC. */
  range: Range
  keptSince: number
  checkTypes?: readonly CheckType[] | undefined
}

export async function readUsage(pool: Pool, query: UsageQuery): Promise<DayOfRuns[]> {
  const { accountId, range, keptSince, checkTypes } = query
  if (range.from >= range.to) return []
  const checks = await listReportedChecks(pool, accountId, {})
  return countRunsByDay(pool, {
    accountId,
    checks: checks.filter(({ type }) => checkTypes === undefined || checkTypes.includes(type)),
    parts: partsOf(range, 'day', keptSince),
    outcomes: ['success', 'failure', 'error'],
  })
}

export interface RunCounts {
  totalRuns: number
  finalRuns: number
  retryRuns: number
  degradedRuns: number
  failedRuns: number
  errorRuns: number
}

export function addUp(days: readonly DayOfRuns[]): RunCounts {
  const sum = (amountOf: (day: DayOfRuns) => number) => days.reduce((total, day) => total + amountOf(day), 0)
  const withOutcome = (outcome: string) => sum((day) => (day.outcome === outcome ? day.runs : 0))
  const [finalRuns, retryRuns] = [sum(({ runs }) => runs), sum(({ retries }) => retries)]
  return {
    totalRuns: finalRuns + retryRuns,
    finalRuns,
    retryRuns,
    degradedRuns: sum(({ degraded }) => degraded),
    failedRuns: withOutcome('failure'),
    errorRuns: withOutcome('error'),
  }
}

export interface UsagePeriod {
  range: Range
  /** Null if all types are one row. */
  type: CheckType | null
  days: DayOfRuns[]
}

/** In the order of time, then by type; periods without runs are left out. */
export function usagePeriods(
  days: readonly DayOfRuns[],
  { range, interval, isByType }: { range: Range; interval: Granularity | 'total'; isByType: boolean },
): UsagePeriod[] {
  const maxParts = (range.to - range.from) / dayMs
  const ranges = interval === 'total' ? [range] : calendarRanges(range, interval, 'UTC', maxParts)
  return ranges.flatMap((part): UsagePeriod[] => {
    const inside = days.filter(({ day }) => day >= part.from && day < part.to)
    if (inside.length === 0) return []
    if (!isByType) return [{ range: part, type: null, days: inside }]
    return [...Map.groupBy(inside, ({ type }) => type)]
      .map(([type, ofType]) => ({ range: part, type, days: ofType }))
      .sort((a, b) => a.type.localeCompare(b.type))
  })
}
