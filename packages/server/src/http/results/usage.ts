import {
  ApiError,
  dayMs,
  type FieldIssue,
  getUsageQuotas,
  getUsageSeries,
  getUsageSummary,
  getUsageTerms,
  invalidInput,
  type QueryOf,
  usageDays,
} from '@vedette/contracts'
import { floorTo, type Range } from '../../analytics/range.ts'
import { addUp, readUsage, type UsagePeriod, usagePeriods } from '../../analytics/usage.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { readQuotaUse } from '../../dispatch/quotas.ts'
import { findAccount } from '../../storage/accounts/accounts.ts'
import type { DayOfRuns } from '../../storage/results/tallies.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { keptSince } from './analytics-range.ts'

export function usageRoutes(deps: Deps): Mounted[] {
  const { store, clock } = deps
  const { db, pool } = store
  const termsFor = async (accountId: string, to: string | undefined) =>
    termsOf(orNotFound(await findAccount(db, accountId)), to ?? dayOf(clock.now()))
  const read = (accountId: string, range: Range, { checkTypes }: RangeQuery) =>
    readUsage(pool, { accountId, range, checkTypes, keptSince: keptSince(deps) })
  return [
    handle(getUsageQuotas, async ({ account }) => readQuotaUse(pool, account.id, clock.now())),
    handle(getUsageTerms, async ({ account, query }) => (await termsFor(account.id, query.to)).terms),
    handle(getUsageSummary, async ({ account, query }) => {
      const terms = await termsFor(account.id, query.to)
      const range = rangeOf(query, account.id, terms)
      const today = await termsFor(account.id, undefined)
      const untilToday = { from: today.start, to: today.end }
      const totals = await read(account.id, range, query)
      const days = await read(account.id, untilToday, query)
      const last = (count: number) =>
        serializeWindow(days.filter(({ day }) => day >= today.end - count * dayMs))
      return {
        usageTermsId: account.id,
        period: serializeRange(range),
        totals: serializeMetrics(totals),
        projections: {
          weeksSinceStart: Math.floor((today.end - today.start) / (7 * dayMs)),
          weeksRemaining: 0,
          remainingCredits: null,
          windows: {
            sinceStart: serializeWindow(days),
            last30Days: last(30),
            last7Days: last(7),
            last1Day: last(1),
          },
        },
      }
    }),
    handle(getUsageSeries, async ({ account, query }) => {
      const terms = await termsFor(account.id, query.to)
      const range = rangeOf(query, account.id, terms)
      const { interval, groupBy, limit } = query
      const isByType = groupBy.includes('checkType')
      const periods = usagePeriods(await read(account.id, range, query), { range, interval, isByType })
      const start = readCursor(query.nextId)
      const page = periods.slice(start, start + limit)
      const next = start + page.length
      const isPartial = query.from !== undefined && Date.parse(query.from) < range.from
      return {
        usageTermsId: account.id,
        period: { ...serializeRange(range), interval, groupBy },
        data: page.map((period) =>
          serializePeriod(period, groupBy.includes('account') ? account.id : undefined),
        ),
        length: page.length,
        nextId: next < periods.length ? writeCursor(next) : null,
        warnings: isPartial
          ? [
              {
                code: 'PARTIAL_WINDOW' as const,
                message: `Usage before ${dayOf(range.from)} is left out: reports have ${usageDays} days, and none before the account was created`,
              },
            ]
          : [],
      }
    }),
  ]
}

type RangeQuery = Pick<QueryOf<typeof getUsageSummary>, 'from' | 'to' | 'accountIds' | 'checkTypes'>

interface Terms {
  /** Milliseconds: the first day of reports, and the end of the last one. */
  start: number
  end: number
}

function termsOf(account: { id: string; name: string; created_at: string }, to: string) {
  const created = floorTo(Date.parse(account.created_at), dayMs)
  const end = Date.parse(to) + dayMs
  if (end <= created) {
    throw new ApiError('not_found', {
      message: `"to" must not be before the day on which the account was created: ${dayOf(created)}.`,
      extra: { code: 'NO_USAGE_TERMS' },
    })
  }
  const start = Math.max(created, end - usageDays * dayMs)
  const { id, name } = account
  const terms = {
    id,
    name,
    accounts: [{ id, name }],
    contractStartDate: dayOf(created),
    contractEndDate: to,
    usageStartDate: dayOf(start),
    creditBudget: null,
    standardCreditsPerUnit: null,
    premiumCreditsPerUnit: null,
  }
  return { terms, start, end }
}

function rangeOf({ from, accountIds }: RangeQuery, accountId: string, { start, end }: Terms): Range {
  if (accountIds?.some((id) => id !== accountId)) {
    throw invalid('ACCOUNT_NOT_IN_USAGE_TERMS', {
      path: ['accountIds'],
      message: `may only have the chosen account, ${accountId}`,
    })
  }
  const begin = from === undefined ? start : Date.parse(from)
  if (begin >= end) throw invalid('INVALID_RANGE', { path: ['from'], message: 'must not be after to' })
  return { from: Math.max(begin, start), to: end }
}

/** Existing clients read `code`. */
function invalid(code: string, issue: FieldIssue): ApiError {
  const { message, attributes } = invalidInput([issue])
  return new ApiError('invalid_input', { message, attributes, extra: { code } })
}

const cursorPattern = /^row-(\d{1,6})$/

function readCursor(nextId: string | undefined): number {
  if (nextId === undefined || nextId === '') return 0
  const [, index] = cursorPattern.exec(nextId) ?? []
  if (index !== undefined) return Number(index)
  throw invalid('INVALID_CURSOR', { path: ['nextId'], message: 'must be the nextId of the page before' })
}

function writeCursor(index: number): string {
  return `row-${index}`
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}

function serializeRange({ from, to }: Range) {
  return { from: dayOf(from), to: dayOf(to - dayMs) }
}

function serializePeriod({ range, type, days }: UsagePeriod, accountId: string | undefined) {
  const { from, to } = serializeRange(range)
  return {
    periodStart: from,
    periodEnd: to,
    ...(accountId !== undefined && { accountId }),
    ...(type !== null && { checkType: type }),
    ...serializeMetrics(days),
  }
}

const notCounted = {
  cancelledRuns: 0,
  multiStepRequests: 0,
  playwrightBillableDurationMs: 0,
  abortedRuns: 0,
  overMaxResponseTimeRuns: 0,
  standardBillableUnits: 0,
  premiumBillableUnits: 0,
} as const

function serializeMetrics(days: readonly DayOfRuns[]) {
  const measures = { ...addUp(days), ...notCounted }
  return {
    credits: { used: null, percentOfBudget: null },
    meters: [{ meterType: 'CHECK_RUN' as const, measures }],
  }
}

function serializeWindow(days: readonly DayOfRuns[]) {
  return {
    usage: serializeMetrics(days),
    projectedAnnualPercentOfBudget: null,
    projectedCreditsAtContractEnd: null,
    projectedPercentAtContractEnd: null,
    projectedWeeksUntilExhausted: null,
  }
}
