// Figures of the checks of an account over a range and the one before it, as pages of a sorted list. Runs and gaps of all matching
// checks are counted by the database; response times are read for the checks of the page only, unless they decide the order.
import { createHash } from 'node:crypto'
import {
  checkTypeNames,
  hourMs,
  type ReportColumn,
  type ReportCounts,
  type ReportFigures,
} from '@vedette/contracts'
import { LRUCache } from 'lru-cache'
import { summarizeEach, summaryMetrics } from '../analytics/check-summaries.ts'
import { partsOf, type Range } from '../analytics/range.ts'
import { round } from '../analytics/summary.ts'
import type { Pool } from '../storage/core/db.ts'
import { type CoverageGap, listCoverageGaps } from '../storage/results/coverage-gaps.ts'
import { countOutcomes } from '../storage/results/tallies.ts'
import type { OverviewEntry } from './overview-entry.ts'
import { sortByKey } from './select-checks.ts'

export interface ReportRequest {
  accountId: string
  /** The matching checks, in the order of their names. */
  checks: readonly OverviewEntry[]
  /** Full hours. */
  range: Range
  keptSince: number
  now: number
  sort: ReportColumn
  isDescending: boolean
  limit: number
  offset: number
}

export interface CheckReport {
  previousRange: Range
  totals: ReportCounts
  previousTotals: ReportCounts
  entries: { check: OverviewEntry; figures: ReportFigures; previous: ReportFigures }[]
}

type Measured = Pick<ReportFigures, 'avg' | 'p50' | 'p95' | 'p99'>

interface Counts {
  runs: number
  failedRuns: number
  executed: number
  skipped: number
  missed: number
  paused: number
}

const none: Counts = { runs: 0, failedRuns: 0, executed: 0, skipped: 0, missed: 0, paused: 0 }
const unmeasured: Measured = { avg: null, p50: null, p95: null, p99: null }
const measuredColumns: readonly ReportColumn[] = ['avg', 'p50', 'p95', 'p99']

/** The pages of one report, and its export, ask for the same counts again. */
const keptMs = 60_000

export class CheckReports {
  readonly #pool: Pool
  readonly #counts = new LRUCache<string, Promise<Map<string, Counts>>>({ max: 20, ttl: keptMs })
  readonly #measured = new LRUCache<string, Promise<Map<string, Measured>>>({ max: 10, ttl: keptMs })

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async read(request: ReportRequest): Promise<CheckReport> {
    const { checks, range, sort, isDescending, limit, offset } = request
    const length = range.to - range.from
    const previousRange = { from: range.from - length, to: range.from }
    const [counts, before] = await Promise.all([
      this.#count(request, range),
      this.#count(request, previousRange),
    ])
    const measuredOfAll = measuredColumns.includes(sort) ? await this.#measureAll(request) : null
    const sortKeyOf = (check: OverviewEntry) =>
      keyBy(sort, check, serializeCounts(counts.get(check.row.id) ?? none), measuredOfAll?.get(check.row.id))
    const page = sortByKey(checks, sort === 'name' ? null : sortKeyOf, isDescending).slice(
      offset,
      offset + limit,
    )
    const [measured, measuredBefore] = await Promise.all([
      measuredOfAll ?? this.#measure(request, page, range),
      this.#measure(request, page, previousRange),
    ])
    const figuresOf = (id: string, from: Map<string, Counts>, times: Map<string, Measured>) => ({
      ...serializeCounts(from.get(id) ?? none),
      ...(times.get(id) ?? unmeasured),
    })
    return {
      previousRange,
      totals: serializeCounts(addUp(checks, counts)),
      previousTotals: serializeCounts(addUp(checks, before)),
      entries: page.map((check) => ({
        check,
        figures: figuresOf(check.row.id, counts, measured),
        previous: figuresOf(check.row.id, before, measuredBefore),
      })),
    }
  }

  #count(request: ReportRequest, range: Range): Promise<Map<string, Counts>> {
    return keep(this.#counts, keyOf(request, range), () => countRuns(this.#pool, request, range))
  }

  #measureAll(request: ReportRequest): Promise<Map<string, Measured>> {
    return keep(this.#measured, keyOf(request, request.range), () =>
      this.#measure(request, request.checks, request.range),
    )
  }

  async #measure(
    { accountId, keptSince, now }: ReportRequest,
    checks: readonly OverviewEntry[],
    range: Range,
  ): Promise<Map<string, Measured>> {
    const summaries = await summarizeEach(this.#pool, {
      accountId,
      checks: checks.map(({ row }) => ({ id: row.id, type: row.checkType })),
      parts: partsOf(untilNow(range, now), 'day', keptSince),
      bucketMs: null,
    })
    const figures = new Map<string, Measured>()
    for (const [id, buckets] of summaries) {
      const get = (aggregation: keyof Measured) =>
        buckets.get(0)?.measured(summaryMetrics.responseTime, aggregation) ?? null
      figures.set(id, { avg: get('avg'), p50: get('p50'), p95: get('p95'), p99: get('p99') })
    }
    return figures
  }
}

async function countRuns(
  pool: Pool,
  { accountId, checks, keptSince, now }: ReportRequest,
  range: Range,
): Promise<Map<string, Counts>> {
  const checkIds = checks.map(({ row }) => row.id)
  const parts = partsOf(untilNow(range, now), 'day', keptSince)
  const outcomes = ['success', 'failure', 'error']
  const [counted, gaps] = await Promise.all([
    countOutcomes(pool, { accountId, checkIds, parts, outcomes }),
    listCoverageGaps(pool, accountId, range),
  ])
  const gapOf = new Map<string, CoverageGap>(gaps.map((gap) => [gap.checkId, gap]))
  const byCheck = new Map<string, Counts>()
  for (const id of checkIds) {
    const { skipped = 0, missed = 0, paused = 0 } = gapOf.get(id) ?? {}
    if (skipped + missed > 0) byCheck.set(id, { ...none, skipped, missed, paused })
  }
  for (const { check, outcome, runs } of counted) {
    const id = checkIds[check] ?? ''
    const counts = { ...(byCheck.get(id) ?? none) }
    counts.executed += runs
    // Runs that an agent couldn't make say nothing about the target.
    if (outcome !== 'error') counts.runs += runs
    if (outcome === 'failure') counts.failedRuns += runs
    byCheck.set(id, counts)
  }
  return byCheck
}

function serializeCounts({ runs, failedRuns, executed, skipped, missed, paused }: Counts): ReportCounts {
  const due = executed + skipped + missed - paused
  return {
    runs,
    failedRuns,
    availability: runs === 0 ? null : round((100 * (runs - failedRuns)) / runs),
    skipped,
    missed,
    coverage: due <= 0 ? null : round((100 * executed) / due),
  }
}

function addUp(checks: readonly OverviewEntry[], counts: ReadonlyMap<string, Counts>): Counts {
  const total = { ...none }
  for (const { row } of checks) {
    const one = counts.get(row.id) ?? none
    total.runs += one.runs
    total.failedRuns += one.failedRuns
    total.executed += one.executed
    total.skipped += one.skipped
    total.missed += one.missed
    total.paused += one.paused
  }
  return total
}

const types = checkTypeNames.toSorted()

function keyBy(
  column: ReportColumn,
  { row }: OverviewEntry,
  counts: ReportCounts,
  measured: Measured = unmeasured,
): number | null {
  if (column === 'type') return types.indexOf(row.checkType)
  if (column === 'name') return null
  return { ...counts, ...measured }[column]
}

/** The hour in progress is read up to now. */
function untilNow({ from, to }: Range, now: number): Range {
  return { from, to: Math.max(from, Math.min(to, now)) }
}

function keyOf({ accountId, checks, now }: ReportRequest, { from, to }: Range): string {
  const ids = createHash('sha256')
  for (const { row } of checks) ids.update(row.id)
  const age = to > now - hourMs ? Math.floor(now / keptMs) : ''
  return [accountId, from, to, age, ids.digest('base64')].join(' ')
}

/** A failed reading isn't kept. */
function keep<T extends object>(
  cache: LRUCache<string, Promise<T>>,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  const known = cache.get(key)
  if (known !== undefined) return known
  const reading = read()
  cache.set(key, reading)
  reading.catch(() => cache.delete(key))
  return reading
}
