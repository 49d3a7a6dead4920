// The series of a browser check page by page. What is measured of a run as a whole belongs to none of its pages.
import {
  type Metric,
  maxMeasuredPages,
  metricIndexes,
  pageMetricIndex,
  pageMetrics,
  pageOfIndex,
} from '@vedette/contracts'
import type { Pool } from '../storage/core/db.ts'
import { listLatestDetails } from '../storage/results/run-values.ts'
import { pageAddresses } from './page-addresses.ts'
import { isPerRun, type ReportQuery, type ReportRow, type Series } from './report-query.ts'
import { readBuckets, readRuns, valueAt } from './report-values.ts'
import type { Summary } from './summary.ts'
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
  query: ReportQuery,
  metrics: Metric[],
): Promise<Map<number, ReportRow[]>> {
  const rows = new Map<number, ReportRow[]>()
  for (const run of await readRuns(pool, query)) {
    for (const page of pages) {
      // Nothing after the last page that was visited.
      if (pageMetrics.every((name) => valueAt(run, pageMetricIndex(name, page)) === null)) continue
      const row: ReportRow = { startedAt: run.startedAt, runLocation: run.location }
      for (const metric of metrics) row[metric.name] = valueAt(run, slotOf(metric, page))
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
  const slots = slotsFor(metrics)
  const rows = new Map<number, ReportRow[]>()
  for (const { begin, summary } of await readBuckets(pool, query, slots, () => null)) {
    for (const page of pages) {
      const isVisited = slots.some(
        (slot, place) => pageOfIndex(slot) === page && summary.measured(place, 'max') !== null,
      )
      if (!isVisited) continue
      const row: ReportRow = { ...begin }
      for (const metric of metrics) row[metric.name] = valueOnPage(summary, metric, page, slots)
      upsert(rows, page, () => []).push(row)
    }
  }
  return rows
}

function valueOnPage(summary: Summary, metric: Metric, page: number, slots: number[]): number | null {
  if (metric.metricIndex === null) return summary.get(metric, slots)
  const slot = slotOf(metric, page)
  return slot === null ? null : summary.get({ ...metric, metricIndex: slot }, slots)
}

/** Of every page; those of all metrics, where none is asked for by which a visit would show. */
function slotsFor(metrics: Metric[]): number[] {
  const asked = pageMetrics.filter((name) => metrics.some((metric) => baseOf(metric) === name))
  const names = asked.length === 0 ? pageMetrics : asked
  return pages.flatMap((page) => names.flatMap((name) => pageMetricIndex(name, page) ?? []))
}

function slotOf(metric: Metric, page: number): number | null {
  const base = baseOf(metric)
  return base === null ? null : pageMetricIndex(base, page)
}

function baseOf({ metricIndex }: Metric): string | null {
  return Object.entries(metricIndexes.BROWSER).find(([, index]) => index === metricIndex)?.[0] ?? null
}
