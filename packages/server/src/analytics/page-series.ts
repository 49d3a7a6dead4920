// The series of a browser check per page. Measurements of the whole run belong to no page.
import {
  type Metric,
  maxMeasuredPages,
  metricIndexes,
  pageMetricIndex,
  pageMetrics,
  pageOfIndex,
} from '@vedette/contracts'
import { z } from 'zod'
import { getOrInsert } from '../core/get-or-insert.ts'
import type { Pool } from '../storage/core/db.ts'
import { listLatestDetails } from '../storage/results/result-details.ts'
import { isPerRun, type ReportQuery, type ReportRow, type Series } from './report-query.ts'
import { readBuckets, readRuns, valueAt } from './report-values.ts'
import type { Summary } from './summary.ts'

const pages = Array.from({ length: maxMeasuredPages }, (_, page) => page)

export async function seriesOfPages(pool: Pool, query: ReportQuery, metrics: Metric[]): Promise<Series[]> {
  const rows = isPerRun(metrics, query)
    ? await rowsOfRuns(pool, query, metrics)
    : await rowsOfBuckets(pool, query, metrics)
  const { accountId, checkId, range } = query
  const latest = await listLatestDetails(pool, { accountId, checkId, ...range, limit: 3 })
  const urls = latestPageUrls(latest)
  return pages.flatMap((page) => {
    const own = rows.get(page) ?? []
    const about = { pageIndex: page, pageUrl: urls.get(page) ?? null }
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
      // Pages that the run didn't visit.
      if (pageMetrics.every((name) => valueAt(run, pageMetricIndex(name, page)) === null)) continue
      const row: ReportRow = { startedAt: run.startedAt, runLocation: run.location }
      for (const metric of metrics) row[metric.name] = valueAt(run, metricIndexOf(metric, page))
      getOrInsert(rows, page, () => []).push(row)
    }
  }
  return rows
}

async function rowsOfBuckets(
  pool: Pool,
  query: ReportQuery,
  metrics: Metric[],
): Promise<Map<number, ReportRow[]>> {
  const indexes = metricIndexesFor(metrics)
  const rows = new Map<number, ReportRow[]>()
  for (const { begin, summary } of await readBuckets(pool, query, indexes, () => null)) {
    for (const page of pages) {
      const isVisited = indexes.some(
        (index, position) => pageOfIndex(index) === page && summary.measured(position, 'max') !== null,
      )
      if (!isVisited) continue
      const row: ReportRow = { ...begin }
      for (const metric of metrics) row[metric.name] = valueOnPage(summary, metric, page, indexes)
      getOrInsert(rows, page, () => []).push(row)
    }
  }
  return rows
}

function valueOnPage(summary: Summary, metric: Metric, page: number, indexes: number[]): number | null {
  if (metric.metricIndex === null) return summary.get(metric, indexes)
  const metricIndex = metricIndexOf(metric, page)
  return metricIndex === null ? null : summary.get({ ...metric, metricIndex }, indexes)
}

/** Of every page. Without a page metric in the query, all of them, because they show which pages were visited. */
function metricIndexesFor(metrics: Metric[]): number[] {
  const requested = pageMetrics.filter((name) => metrics.some((metric) => baseOf(metric) === name))
  const names = requested.length === 0 ? pageMetrics : requested
  return pages.flatMap((page) => names.flatMap((name) => pageMetricIndex(name, page) ?? []))
}

function metricIndexOf(metric: Metric, page: number): number | null {
  const base = baseOf(metric)
  return base === null ? null : pageMetricIndex(base, page)
}

function baseOf({ metricIndex }: Metric): string | null {
  return Object.entries(metricIndexes.BROWSER).find(([, index]) => index === metricIndex)?.[0] ?? null
}

const VisitedPages = z.object({
  observed: z.object({ pages: z.array(z.object({ url: z.string() }).nullable().catch(null)) }),
})

/** The URL of each page in the latest run that visited it. `details`: stored evidence, the latest first. */
function latestPageUrls(details: readonly string[]): Map<number, string> {
  const urls = new Map<number, string>()
  for (const text of details) {
    const detail = VisitedPages.safeParse(parseJson(text))
    for (const [page, visit] of (detail.data?.observed.pages ?? []).entries()) {
      if (visit !== null && !urls.has(page)) urls.set(page, visit.url)
    }
  }
  return urls
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
