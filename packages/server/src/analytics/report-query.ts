// The query and the result of a report on one check.
import {
  type ApiError,
  type CheckType,
  type Grouping,
  invalidInput,
  type Metric,
  minuteMs,
} from '@vedette/contracts'
import type { Range } from './range.ts'

export const maxRows = 50_000

export interface ReportQuery {
  accountId: string
  checkId: string
  checkType: CheckType
  range: Range
  metrics: string[]
  intervalMinutes?: number | undefined
  groupBy?: Grouping | undefined
  outcomes?: ('success' | 'failure')[] | undefined
  /** Earlier results are deleted; only their rollups remain. */
  keptSince: number
}

export type ReportRow = Record<string, number | string | null>

export interface Series {
  /** What the rows share: a location, a status code, a page, or nothing. */
  group: { runLocation?: string; statusCode?: number | null; pageIndex?: number | null }
  rows: ReportRow[]
}

/** Measured metrics without an aggregation are reported per run. Counted metrics always cover many runs. */
export function isPerRun(metrics: Metric[], { intervalMinutes }: ReportQuery): boolean {
  if (intervalMinutes !== undefined) return false
  return (
    metrics.some(({ metricIndex }) => metricIndex !== null) &&
    metrics.every(({ aggregation }) => aggregation === null)
  )
}

/** Null: one bucket for the whole range. */
export function bucketLength({ range, intervalMinutes }: ReportQuery): number | null {
  if (intervalMinutes === undefined) return null
  const bucketMs = Math.round(intervalMinutes * minuteMs)
  const least = Math.ceil((range.to - range.from) / maxRows / minuteMs)
  if (bucketMs < least * minuteMs)
    throw tooManyRows('aggregationInterval', `must be at least ${least} for this range`)
  return bucketMs
}

export function tooManyRows(field: string, rule: string): ApiError {
  return invalidInput([{ path: [field], message: `${rule}: a report has at most ${maxRows} rows` }])
}
