// Availability, response times, phases and locations over the range.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call, callList } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import { formatDuration, formatPercent } from '../../core/format.ts'
import { type TimeRange, writeRange } from '../../core/time-range.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { AvailabilityBar } from './availability-bar.tsx'
import { HeartbeatOverview } from './heartbeat-overview.tsx'
import { LocationTable } from './location-table.tsx'
import { ResultsTab } from './results-tab.tsx'
import type { TabProps } from './tab-props.ts'
import { TimeChart } from './time-chart.tsx'
import { type TypeView, viewOf } from './type-views.ts'
import { useBuckets } from './use-report.ts'

export function OverviewTab({ check, range }: TabProps) {
  const view = viewOf(check.checkType)
  if (view !== null) return <Charts check={check} range={range} view={view} />
  return check.checkType === 'HEARTBEAT' ? (
    <HeartbeatOverview check={check} />
  ) : (
    <ResultsTab check={check} range={range} />
  )
}

const phaseColors = [
  '--maintenance-mark',
  '--unknown-mark',
  '--degraded-mark',
  '--passing-mark',
  '--partial-mark',
]
const hasValues = (series: readonly { values: readonly (number | null)[] }[]) =>
  series.some(({ values }) => values.some((value) => value !== null))
const noMarks: { at: number; value: number }[] = []

function Charts({ check, range, view }: TabProps & { view: TypeView }) {
  const { data, error, refetch } = useBuckets(check, view, range)
  const [search, setSearch] = useSearchParameters()
  const [hasP99, setP99] = useState(false)
  const marks = useFailedRuns(check, range).data ?? noMarks
  const lines = useDeployments(check, range).data ?? []
  const zoom = (next: { from: number; to: number }) =>
    setSearch(writeRange(search, next), { isNewEntry: true })
  const { metric, label } = view.main
  const times = useMemo(() => data?.buckets.map(({ at }) => at) ?? [], [data])
  const main = useMemo(() => {
    const valuesOf = (name: string) =>
      data?.buckets.map(({ values }) => values[`${metric}_${name}`] ?? null) ?? []
    return [
      { label: 'p95', color: '--accent', values: valuesOf('p95'), fill: 'next' as const },
      { label: 'p50', color: '--text', values: valuesOf('p50') },
      ...(hasP99 ? [{ label: 'p99', color: '--partial-mark', values: valuesOf('p99') }] : []),
    ]
  }, [data, metric, hasP99])
  const phases = useMemo(() => {
    const buckets = data?.buckets ?? []
    const tops = buckets.map(() => 0)
    return view.phases
      .map((phase, index) => {
        const readings = buckets.map(({ values }) => values[`${phase.metric}_avg`] ?? null)
        const values = readings.map((value, at) => {
          if (value === null) return null
          const top = (tops[at] ?? 0) + value
          tops[at] = top
          return top
        })
        const color = phaseColors[index % phaseColors.length] ?? '--accent'
        return { label: phase.label, color, values, readings, fill: 'zero' as const }
      })
      .reverse()
  }, [data, view])
  if (error && data === undefined) return <Failure what="The report" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  if (data.buckets.length === 0)
    return (
      <Empty title="No runs in this range">
        <p className="muted-text">Choose a longer range, or run the check now.</p>
      </Empty>
    )
  const common = { range, times, onZoom: zoom }
  return (
    <div className="overview">
      <AvailabilityBar
        availability={data.availability}
        buckets={data.buckets}
        minutes={data.minutes}
        range={range}
      />
      <div className="chart-box">
        <TimeChart
          {...common}
          title={label}
          series={main}
          marks={marks}
          lines={lines}
          format={formatDuration}
        />
        <label className="check-box">
          <input type="checkbox" checked={hasP99} onChange={({ target }) => setP99(target.checked)} /> p99
        </label>
      </div>
      {hasValues(phases) && (
        <TimeChart {...common} title="Phases, on average" series={phases} format={formatDuration} />
      )}
      {view.others.map((other) => (
        <OtherChart
          key={other.metric}
          {...common}
          other={other}
          values={data.buckets.map(({ values }) => values[`${other.metric}_avg`] ?? null)}
        />
      ))}
      <LocationTable check={check} view={view} range={range} />
    </div>
  )
}

interface OtherChartProps {
  other: TypeView['others'][number]
  values: (number | null)[]
  range: TimeRange
  times: readonly number[]
  onZoom(range: { from: number; to: number }): void
}

const formats: Record<TypeView['others'][number]['unit'], (value: number) => string> = {
  ms: formatDuration,
  '%': formatPercent,
  count: (value) => String(Number(value.toPrecision(3))),
}

function OtherChart({ other, values, ...common }: OtherChartProps) {
  const key = values.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same values make the same chart
  const series = useMemo(() => [{ label: other.label, color: '--accent', values }], [key, other.label])
  return <TimeChart {...common} title={other.label} series={series} format={formats[other.unit]} />
}

function useFailedRuns(check: Check, range: TimeRange) {
  return useQuery({
    queryKey: ['failed-runs', check.id, range.from, range.to],
    queryFn: async ({ signal }) => {
      const query = {
        from: range.from,
        to: range.to,
        hasFailures: true,
        limit: 100,
        fields: ['startedAt', 'responseTime'] as const,
      }
      const { entries } = await call(
        'GET /v2/check-results/{checkId}',
        { params: { checkId: check.id }, query: { ...query, fields: [...query.fields] } },
        signal,
      )
      return entries.flatMap(({ startedAt, responseTime }) =>
        startedAt ? [{ at: Date.parse(startedAt) / 1000, value: responseTime ?? 0 }] : [],
      )
    },
  })
}

function useDeployments(check: Check, range: TimeRange) {
  return useQuery({
    queryKey: ['deployments', check.id, range.from, range.to],
    queryFn: async ({ signal }) => {
      const { entries } = await callList(
        'GET /v1/deployments',
        { query: { from: range.from, to: range.to, limit: 100 } },
        signal,
      )
      return entries
        .filter(({ checkId }) => checkId === null || checkId === check.id)
        .map(({ created_at, environmentName }) => ({
          at: Date.parse(created_at) / 1000,
          label: environmentName ?? 'Deployment',
        }))
    },
  })
}
