// The report of a check over a range: buckets over time, and one row per location.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import { bucketMinutes, type TimeRange } from '../../core/time-range.ts'
import type { TypeView } from './type-views.ts'

export interface Bucket {
  /** Seconds. */
  at: number
  values: Readonly<Record<string, number | null>>
}

export interface LocationRow {
  location: string
  values: Readonly<Record<string, number | null>>
}

type Row = Readonly<Record<string, string | number | null>>

export function useBuckets(check: Check, view: TypeView, range: TimeRange, isWanted = true) {
  const frequency = 'frequency' in check ? check.frequency : 10
  const minutes = bucketMinutes(range, Math.max(1, frequency))
  const { main, phases, others } = view
  const metrics = [
    'availability',
    ...['p50', 'p95', 'p99'].map((aggregation) => `${main.metric}_${aggregation}`),
    ...[...phases, ...others].map(({ metric }) => `${metric}_avg`),
  ]
  return useQuery({
    queryKey: ['report', check.id, 'buckets', rangeKey(range), minutes],
    enabled: isWanted,
    queryFn: async ({ signal }) => {
      const { from, to } = range
      const ask = (query: { metrics: string[]; aggregationInterval?: number }) =>
        call(view.report, { params: { id: check.id }, query: { from, to, limit: 100, ...query } }, signal)
      const [{ series }, whole] = await Promise.all([
        ask({ metrics, aggregationInterval: minutes }),
        ask({ metrics: metrics.slice(0, 2) }),
      ])
      const availability = whole.series[0]?.data[0]?.availability
      return {
        minutes,
        buckets: bucketsOf(series[0]?.data ?? []),
        /** Of all runs in the range. */
        availability: typeof availability === 'number' ? availability : null,
      }
    },
  })
}

export function useLocationRows(check: Check, view: TypeView, range: TimeRange) {
  const metrics = ['availability', `${view.main.metric}_p50`, `${view.main.metric}_p95`]
  return useQuery({
    queryKey: ['report', check.id, 'locations', rangeKey(range)],
    queryFn: async ({ signal }) => {
      const query = { from: range.from, to: range.to, groupBy: 'runLocation' as const, metrics, limit: 100 }
      const { series } = await call(view.report, { params: { id: check.id }, query }, signal)
      return series.flatMap(({ runLocation = '', data }): LocationRow[] => {
        const [row] = data
        return row === undefined
          ? []
          : [{ location: String(row.runLocation ?? runLocation), values: numbersOf(row) }]
      })
    },
  })
}

/** Ranges that end now move with every minute; the old figures stay until the new ones are there. */
function rangeKey({ from, to }: TimeRange): string {
  return `${from}-${to}`
}

function bucketsOf(rows: readonly Row[]): Bucket[] {
  return rows
    .map((row) => ({ at: Date.parse(String(row.startedAt)) / 1000, values: numbersOf(row) }))
    .filter(({ at }) => Number.isFinite(at))
    .sort((a, b) => a.at - b.at)
}

function numbersOf(row: Row): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (typeof value === 'string' ? [] : [[name, value]])),
  )
}
