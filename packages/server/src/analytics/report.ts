// The series of one check: what was asked for, in rows, grouped as it was asked for.
import { type CheckType, type Grouping, type Metric, metricsOf } from '@vedette/contracts'
import type { Pool } from '../storage/db.ts'
import { listRunValues, type RunValues } from '../storage/run-values.ts'
import { readTallies } from '../storage/tallies.ts'
import { isMeasured } from './measure.ts'
import { seriesOfPages } from './page-series.ts'
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
  const { accountId, checkId, range, groupBy, outcomes = ['success', 'failure'] } = query
  const runs = await listRunValues(pool, { accountId, checkId, ...range, outcomes, limit: maxRows + 1 })
  if (runs.length > maxRows) throw tooMany('aggregationInterval', 'is needed')
  const series = new SeriesByGroup(groupBy)
  for (const run of runs) {
    const { group, rows } = series.of(run)
    const row: ReportRow = { startedAt: run.startedAt, runLocation: run.location, ...group }
    for (const metric of metrics) row[metric.name] = valueOfRun(run, metric)
    rows.push(row)
  }
  return series.all()
}

function valueOfRun({ outcome, retries, metrics }: RunValues, { name, slot }: Metric): number | null {
  if (slot === null) return name === 'retries' ? retries : outcome === 'success' ? 100 : 0
  const value = metrics[slot]
  return isMeasured(value) ? rounded(value) : null
}

async function seriesOfBuckets(pool: Pool, query: ReportQuery, metrics: Metric[]): Promise<Series[]> {
  const { accountId, checkId, range, groupBy, outcomes = ['success', 'failure'] } = query
  const bucketMs = bucketLength(query)
  const slots = [...new Set(metrics.flatMap(({ slot }) => slot ?? []))]
  const tallies = await readTallies(pool, {
    accountId,
    checks: [{ id: checkId, slots }],
    parts: partsOf(range, grainOf(range, bucketMs), query.keptSince),
    bucketMs,
    outcomes,
  })
  const series = new SeriesByGroup(groupBy)
  const summaries = new Map<Series, Map<number, Summary>>()
  for (const tally of tallies) {
    const buckets = upsert(summaries, series.of(tally), () => new Map<number, Summary>())
    const at = bucketMs === null ? 0 : floorTo(tally.at, bucketMs)
    upsert(buckets, at, () => new Summary(slots.length)).add(tally)
  }
  for (const [{ group, rows }, buckets] of summaries) {
    const inOrder = [...buckets].sort(([a], [b]) => a - b)
    for (const [at, summary] of inOrder) rows.push(rowOf(bucketMs === null ? null : at, group, summary))
  }
  return series.all()

  function rowOf(at: number | null, group: Series['group'], summary: Summary): ReportRow {
    const row: ReportRow = at === null ? {} : { startedAt: new Date(at).toISOString() }
    Object.assign(row, group)
    for (const metric of metrics) row[metric.name] = summary.get(metric, slots)
    return row
  }
}

/** One entry per group in the order of their names; without a grouping one entry, also when it is empty. */
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
    return upsert(this.#entries, value, () => ({ group: groupOf(groupBy, value), rows: [] }))
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
