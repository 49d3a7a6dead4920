// The series of one check: what was asked for, in rows, grouped as it was asked for.
import {
  type ApiError,
  type CheckType,
  type Grouping,
  invalidInput,
  type Metric,
  metricsOf,
} from '@vedette/contracts'
import type { Pool } from '../storage/db.ts'
import { listRunValues, type RunValues } from '../storage/run-values.ts'
import { readTallies } from '../storage/tallies.ts'
import { isMeasured } from './measure.ts'
import { floorTo, grainOf, minuteMs, partsOf, type Range } from './range.ts'
import { rounded, Summary } from './summary.ts'
import { upsert } from './upsert.ts'

/** More rows than this are no report. */
const maxRows = 50_000

export interface ReportQuery {
  accountId: string
  checkId: string
  checkType: CheckType
  range: Range
  metrics: string[]
  intervalMinutes?: number | undefined
  groupBy?: Grouping | undefined
  outcomes?: ('success' | 'failure')[] | undefined
  /** Before this there are no results any more, only rollups. */
  keptSince: number
}

type ReportRow = Record<string, number | string | null>

export interface Series {
  /** What its rows have in common: a location, a status code, a page, or nothing. */
  group: { runLocation?: string; statusCode?: number | null; pageIndex?: number | null }
  rows: ReportRow[]
}

export function reportMetrics(type: CheckType, names: string[]): Metric[] {
  const byName = new Map(metricsOf(type).map((metric) => [metric.name, metric]))
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? [])
}

export async function buildSeries(pool: Pool, query: ReportQuery): Promise<Series[]> {
  const metrics = reportMetrics(query.checkType, query.metrics)
  return isPerRun(metrics, query) ? seriesOfRuns(pool, query, metrics) : seriesOfBuckets(pool, query, metrics)
}

/** Measured values with no word on how to add them up are those of each run. Counts are always of many runs. */
function isPerRun(metrics: Metric[], { intervalMinutes }: ReportQuery): boolean {
  if (intervalMinutes !== undefined) return false
  return metrics.some(({ slot }) => slot !== null) && metrics.every(({ aggregation }) => aggregation === null)
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

function bucketLength({ range, intervalMinutes }: ReportQuery): number | null {
  if (intervalMinutes === undefined) return null
  const bucketMs = Math.round(intervalMinutes * minuteMs)
  const least = Math.ceil((range.to - range.from) / maxRows / minuteMs)
  if (bucketMs < least * minuteMs)
    throw tooMany('aggregationInterval', `must be at least ${least} for this range`)
  return bucketMs
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

function tooMany(field: string, rule: string): ApiError {
  return invalidInput([{ path: [field], message: `${rule}: a report has at most ${maxRows} rows` }])
}
