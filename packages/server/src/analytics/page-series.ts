// The series of a browser check page by page. What is measured of a run as a whole belongs to none of its pages.
import { type Metric, maxMeasuredPages, pageMetrics, pageSlot, resultMetrics } from '@vedette/contracts'
import type { Pool } from '../storage/db.ts'
import { listLatestDetails, listRunValues } from '../storage/run-values.ts'
import { readTallies } from '../storage/tallies.ts'
import { isMeasured } from './measure.ts'
import { pageAddresses } from './page-addresses.ts'
import { floorTo, grainOf, partsOf } from './range.ts'
import {
  bucketLength,
  isPerRun,
  maxRows,
  type ReportQuery,
  type ReportRow,
  type Series,
  tooMany,
} from './report-query.ts'
import { rounded, Summary } from './summary.ts'
import { upsert } from './upsert.ts'

const pages = Array.from({ length: maxMeasuredPages }, (_, page) => page)

export async function seriesOfPages(pool: Pool, query: ReportQuery, metrics: Metric[]): Promise<Series[]> {
  const rows = isPerRun(metrics, query)
    ? await rowsOfRuns(pool, query, metrics)
    : await rowsOfBuckets(pool, query, metrics)
  const { accountId, checkId, range } = query
  const latest = await listLatestDetails(pool, { accountId, checkId, ...range, limit: 3 })
  const addresses = pageAddresses(latest)
  return pages.flatMap((page) => {
    const own = rows.get(page) ?? []
    const about = { pageIndex: page, pageUrl: addresses.get(page) ?? null }
    return own.length === 0
      ? []
      : [{ group: { pageIndex: page }, rows: own.map((row) => ({ ...row, ...about })) }]
  })
}

async function rowsOfRuns(
  pool: Pool,
  { accountId, checkId, range, outcomes = ['success', 'failure'] }: ReportQuery,
  metrics: Metric[],
): Promise<Map<number, ReportRow[]>> {
  const runs = await listRunValues(pool, { accountId, checkId, ...range, outcomes, limit: maxRows + 1 })
  if (runs.length > maxRows) throw tooMany('aggregationInterval', 'is needed')
  const rows = new Map<number, ReportRow[]>()
  for (const run of runs) {
    const valueAt = (slot: number | null) => {
      const value = slot === null ? null : run.metrics[slot]
      return isMeasured(value) ? rounded(value) : null
    }
    for (const page of pages) {
      // Nothing after the last page that was visited.
      if (pageMetrics.every((name) => valueAt(pageSlot(name, page)) === null)) continue
      const row: ReportRow = { startedAt: run.startedAt, runLocation: run.location }
      for (const metric of metrics) row[metric.name] = valueAt(slotOf(metric, page))
      upsert(rows, page, () => []).push(row)
    }
  }
  return rows
}

async function rowsOfBuckets(
  pool: Pool,
  query: ReportQuery,
  metrics: Metric[],
): Promise<Map<number, ReportRow[]>> {
  const { accountId, checkId, range, outcomes = ['success', 'failure'] } = query
  const bucketMs = bucketLength(query)
  const slots = slotsFor(metrics)
  const tallies = await readTallies(pool, {
    accountId,
    checks: [{ id: checkId, slots }],
    parts: partsOf(range, grainOf(range, bucketMs), query.keptSince),
    bucketMs,
    outcomes,
  })
  const buckets = new Map<number, Summary>()
  for (const tally of tallies) {
    const at = bucketMs === null ? 0 : floorTo(tally.at, bucketMs)
    upsert(buckets, at, () => new Summary(slots.length)).add(tally)
  }
  const rows = new Map<number, ReportRow[]>()
  for (const [at, summary] of [...buckets].sort(([a], [b]) => a - b)) {
    for (const page of pages) {
      const isVisited = slots.some(
        (slot, place) => pageOf(slot) === page && summary.measured(place, 'max') !== null,
      )
      if (!isVisited) continue
      const row: ReportRow = bucketMs === null ? {} : { startedAt: new Date(at).toISOString() }
      for (const metric of metrics) row[metric.name] = valueOnPage(summary, metric, page, slots)
      upsert(rows, page, () => []).push(row)
    }
  }
  return rows
}

function valueOnPage(summary: Summary, metric: Metric, page: number, slots: number[]): number | null {
  if (metric.slot === null) return summary.get(metric, slots)
  const slot = slotOf(metric, page)
  return slot === null ? null : summary.get({ ...metric, slot }, slots)
}

/** Of every page; those of all metrics, where none is asked for by which a visit would show. */
function slotsFor(metrics: Metric[]): number[] {
  const asked = pageMetrics.filter((name) => metrics.some((metric) => baseOf(metric) === name))
  const names = asked.length === 0 ? pageMetrics : asked
  return pages.flatMap((page) => names.flatMap((name) => pageSlot(name, page) ?? []))
}

function slotOf(metric: Metric, page: number): number | null {
  const base = baseOf(metric)
  return base === null ? null : pageSlot(base, page)
}

function baseOf({ slot }: Metric): string | null {
  return slot === null ? null : (resultMetrics.BROWSER[slot] ?? null)
}

function pageOf(slot: number): number {
  return Math.floor((slot - resultMetrics.BROWSER.length) / pageMetrics.length)
}
