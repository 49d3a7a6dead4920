// Builds the series of one check.
import { type CheckType, type CountedMetric, type Grouping, type Metric, metricsOf } from '@vedette/contracts'
import { getOrInsert } from '../core/get-or-insert.ts'
import type { Pool } from '../storage/core/db.ts'
import type { RunValues } from '../storage/results/run-values.ts'
import { seriesOfPages } from './page-series.ts'
import { isPerRun, type ReportQuery, type ReportRow, type Series } from './report-query.ts'
import { readBuckets, readRuns, valueAt } from './report-values.ts'

export function reportMetrics(type: CheckType, names: string[]): Metric[] {
  const byName = new Map(metricsOf(type).map((metric) => [metric.name, metric]))
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? [])
}

export async function buildSeries(pool: Pool, query: ReportQuery): Promise<Series[]> {
  const metrics = reportMetrics(query.checkType, query.metrics)
  if (query.groupBy === 'pageIndex') return seriesOfPages(pool, query, metrics)
  return isPerRun(metrics, query) ? seriesOfRuns(pool, query, metrics) : seriesOfBuckets(pool, query, metrics)
}

async function seriesOfRuns(pool: Pool, query: ReportQuery, metrics: Metric[]): Promise<Series[]> {
  const series = new SeriesByGroup(query.groupBy)
  for (const run of await readRuns(pool, query)) {
    const { group, rows } = series.of(run)
    const row: ReportRow = { startedAt: run.startedAt, runLocation: run.location, ...group }
    for (const metric of metrics) row[metric.name] = valueOfRun(run, metric)
    rows.push(row)
  }
  return series.all()
}

const countedOfRun = {
  availability: ({ outcome }) => (outcome === 'success' ? 100 : 0),
  retries: ({ retries }) => retries,
} satisfies Record<CountedMetric, (run: RunValues) => number>

function valueOfRun(run: RunValues, metric: Metric): number | null {
  return metric.metricIndex === null ? countedOfRun[metric.name](run) : valueAt(run, metric.metricIndex)
}

async function seriesOfBuckets(pool: Pool, query: ReportQuery, metrics: Metric[]): Promise<Series[]> {
  const indexes = [...new Set(metrics.flatMap(({ metricIndex }) => metricIndex ?? []))]
  const series = new SeriesByGroup(query.groupBy)
  const buckets = await readBuckets(pool, query, indexes, (tally) => series.of(tally))
  for (const { group: own, begin, summary } of buckets) {
    const row: ReportRow = { ...begin, ...own.group }
    for (const metric of metrics) row[metric.name] = summary.get(metric, indexes)
    own.rows.push(row)
  }
  return series.all()
}

/** One series per group, ordered by name. Without grouping, one series, even if it is empty. */
class SeriesByGroup {
  readonly #groupBy: Grouping | undefined
  readonly #entries = new Map<string, Series>()

  constructor(groupBy: Grouping | undefined) {
    this.#groupBy = groupBy
    if (groupBy === undefined) this.of({ location: '', dimension: '' })
  }

  of({ location, dimension }: { location: string; dimension: string }): Series {
    const groupBy = this.#groupBy
    const value = groupBy === undefined ? '' : groupBy === 'runLocation' ? location : dimension
    return getOrInsert(this.#entries, value, () => ({ group: groupOf(groupBy, value), rows: [] }))
  }

  all(): Series[] {
    return [...this.#entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, series]) => series)
  }
}

function groupOf(groupBy: Grouping | undefined, value: string): Series['group'] {
  if (groupBy === undefined) return {}
  if (groupBy === 'runLocation') return { runLocation: value }
  return { [groupBy]: value === '' ? null : Number(value) }
}
