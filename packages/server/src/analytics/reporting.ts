// Key figures of all checks of an account, for the whole range or per day, week or month.
import {
  dayMs,
  type Granularity,
  hourMs,
  invalidInput,
  isTimezone,
  reportingLimits,
} from '@vedette/contracts'
import type { Pool } from '../storage/core/db.ts'
import { calendarRanges } from './calendar.ts'
import { type SummaryQuery, summarizeEach, summaryMetrics } from './check-summaries.ts'
import { partsOf, type Range } from './range.ts'
import type { Summary } from './summary.ts'

export interface ReportingQuery extends Pick<SummaryQuery, 'accountId' | 'checks'> {
  range: Range
  keptSince: number
}

export interface Aggregate {
  successRatio: number
  avg: number
  p95: number
  p99: number
}

export async function reportOnEach(pool: Pool, query: ReportingQuery): Promise<(id: string) => Aggregate> {
  const { accountId, checks, range, keptSince } = query
  const parts = partsOf(range, 'day', keptSince)
  const summaries = await summarizeEach(pool, { accountId, checks, parts, bucketMs: null })
  return (id) => aggregateOf(summaries.get(id)?.get(0))
}

export type Bucket = Aggregate & { from: string; to: string }

export async function reportOnEachInBuckets(
  pool: Pool,
  query: ReportingQuery & { granularity: Granularity; timezone: string },
): Promise<(id: string) => Bucket[]> {
  const { accountId, checks, range, keptSince, granularity, timezone } = query
  const ranges = rangesOf(range, granularity, timezone)
  // Daily rollups are UTC days. In zones with half-hour offsets, an hour counts in the bucket in which it begins.
  const isByDay = ranges.every(({ from }) => from % dayMs === 0 || from === range.from)
  const parts = partsOf(range, isByDay ? 'day' : 'hour', keptSince)
  const bucketOf = (at: number) =>
    Math.max(
      0,
      ranges.findLastIndex(({ from }) => from <= at),
    )
  const summaries = await summarizeEach(pool, { accountId, checks, parts, bucketMs: hourMs, bucketOf })
  return (id) =>
    ranges.map(({ from, to }, index) => ({
      ...aggregateOf(summaries.get(id)?.get(index)),
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    }))
}

function rangesOf(range: Range, granularity: Granularity, timezone: string): Range[] {
  if (!isTimezone(timezone))
    throw invalidInput([{ path: ['timezone'], message: 'must be an IANA time zone such as Europe/Paris' }])
  const { days, buckets } = reportingLimits
  if (range.to - range.from > days * dayMs) {
    throw invalidInput([{ path: ['from'], message: `must be at most ${days} days before to` }])
  }
  const ranges = calendarRanges(range, granularity, timezone, buckets)
  if (ranges.length > buckets) {
    throw invalidInput([{ path: ['granularity'], message: `gives more than ${buckets} parts of this range` }])
  }
  return ranges
}

/** The wire has no null here: without runs all values are 0. */
function aggregateOf(summary: Summary | undefined): Aggregate {
  const measured = (aggregation: 'avg' | 'p95' | 'p99') =>
    summary?.measured(summaryMetrics.responseTime, aggregation) ?? 0
  return {
    successRatio: summary?.availability ?? 0,
    avg: measured('avg'),
    p95: measured('p95'),
    p99: measured('p99'),
  }
}
