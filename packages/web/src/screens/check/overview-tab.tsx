// Availability, response times, phases and locations over the range.
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import { certificateDays, expiryLimits } from '../../core/certificate-days.ts'
import { type ChartLimit, gapsOf, gridOf, type Interval, partialFrom } from '../../core/chart-data.ts'
import { formatDuration, formatNumberOf, formatPercent } from '../../core/format.ts'
import { type TimeRange, writeRange } from '../../core/time-range.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { AgenticScripts } from './agentic-scripts.tsx'
import { AvailabilityBar } from './availability-bar.tsx'
import { CertificateList } from './certificate-list.tsx'
import type { ChartEvent } from './draw-chart.ts'
import { HeartbeatOverview } from './heartbeat-overview.tsx'
import { LatestFacts } from './latest-facts.tsx'
import { LocationTable } from './location-table.tsx'
import { ResultsTab } from './results-tab.tsx'
import type { TabProps } from './tab-props.ts'
import { TestList } from './test-list.tsx'
import { type ChartFrame, TimeChart } from './time-chart.tsx'
import { certificateLabel, type TypeView, viewOf } from './type-views.ts'
import { useBuckets } from './use-report.ts'
import { noTimeline, type Timeline, useTimeline } from './use-timeline.ts'

export function OverviewTab({ check, range }: TabProps) {
  const view = viewOf(check.checkType)
  if (view !== null) return <Charts check={check} range={range} view={view} />
  if (check.checkType === 'HEARTBEAT') return <HeartbeatOverview check={check} />
  return (
    <div className="stack">
      {check.checkType === 'AGENTIC' && <AgenticScripts checkId={check.id} />}
      <ResultsTab check={check} range={range} />
    </div>
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
  const [hasPrevious, setPrevious] = useState(false)
  const length = range.to - range.from
  const before = { span: null, from: range.from - length, to: range.from }
  const previous = useBuckets(check, view, before, hasPrevious).data
  const marks = useFailedRuns(check, range).data ?? noMarks
  const timeline = useTimeline(check, range).data ?? noTimeline
  const zoom = (next: { from: number; to: number }) =>
    setSearch(writeRange(search, next), { isNewEntry: true })
  const expiry = useExpiry(check, timeline)
  const { metric, label } = view.main
  const { buckets, times, gaps, partial } = useFrame(check, range, data, timeline.maintenance)
  const main = useMemo(() => {
    const valuesOf = (name: string) => buckets.map(({ values }) => values[`${metric}_${name}`] ?? null)
    const shift = data === undefined ? 0 : Math.round(length / (data.minutes * 60)) * data.minutes * 60
    const earlier = new Map(previous?.buckets.map(({ at, values }) => [at + shift, values[`${metric}_p95`]]))
    return [
      { label: 'p95', color: '--accent', values: valuesOf('p95'), fill: 'next' as const },
      { label: 'p50', color: '--text', values: valuesOf('p50') },
      ...(hasP99 ? [{ label: 'p99', color: '--partial-mark', values: valuesOf('p99') }] : []),
      ...(hasPrevious
        ? [
            {
              ...{ label: 'p95 before', color: '--muted', isThin: true },
              values: times.map((at) => earlier.get(at) ?? null),
            },
          ]
        : []),
    ]
  }, [data, previous, buckets, times, metric, hasP99, hasPrevious, length])
  const phases = useMemo(() => {
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
  }, [buckets, view])
  if (error && data === undefined) return <Failure what="The report" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  if (data.buckets.length === 0)
    return (
      <Empty title="No runs in this range">
        <p className="muted-text">Choose a longer range, or run the check now.</p>
      </Empty>
    )
  const common = { range, times, gaps, partial, maintenance: timeline.maintenance, onZoom: zoom }
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
          events={timeline.events}
          format={formatDuration}
        />
        <div className="chart-options">
          <label className="check-box">
            <input type="checkbox" checked={hasP99} onChange={({ target }) => setP99(target.checked)} /> p99
          </label>
          <label className="check-box">
            <input
              type="checkbox"
              checked={hasPrevious}
              onChange={({ target }) => setPrevious(target.checked)}
            />{' '}
            Previous period
          </label>
        </div>
      </div>
      <TestList check={check} range={range} />
      {hasValues(phases) && (
        <TimeChart {...common} title="Phases, on average" series={phases} format={formatDuration} />
      )}
      {view.others.map((other) => (
        <OtherChart
          key={other.metric}
          {...common}
          other={other}
          {...(other.unit === 'days' ? expiry : { events: noEvents, limits: other.limits ?? noLimits })}
          values={buckets.map(({ values }) => values[`${other.metric}_avg`] ?? null)}
        />
      ))}
      {view.others.every(({ unit }) => unit !== 'days') && timeline.certificates.length > 0 && (
        <OtherChart
          {...common}
          {...expiry}
          other={certificateChart}
          values={certificateDays(times, data.minutes * 60, timeline.certificates, Date.now() / 1000)}
        />
      )}
      <LatestFacts check={check} />
      <CertificateList certificates={timeline.certificates} />
      <LocationTable check={check} view={view} range={range} />
    </div>
  )
}

const certificateChart = { metric: 'certificate', label: certificateLabel, unit: 'days' } as const
const noEvents: ChartEvent[] = []
const noLimits: ChartLimit[] = []

/** What the charts of certificates show besides their days. */
function useExpiry(check: Check, { events, certificateAlertDays }: Timeline) {
  const isOwn = check.checkType === 'SSL'
  const days = isOwn ? check.request.sslConfig.alertDaysBeforeExpiry : certificateAlertDays
  return useMemo(
    () => ({
      limits: expiryLimits(days, isOwn ? 'degraded' : 'the first notification'),
      events: events.filter(({ kind }) => kind === 'certificate'),
    }),
    [days, isOwn, events],
  )
}

interface OtherChartProps extends ChartFrame {
  other: TypeView['others'][number]
  limits: readonly ChartLimit[]
  events: readonly ChartEvent[]
  values: (number | null)[]
}

/** What all charts share: every bucket of the range, times without runs, and the bucket that isn't over. */
function useFrame(
  check: Check,
  range: TimeRange,
  data: ReturnType<typeof useBuckets>['data'],
  maintenance: readonly Interval[],
) {
  const period = 'frequency' in check ? Math.max(1, check.frequency) * 60 : 60
  const since = Date.parse(check.created_at) / 1000
  return useMemo(() => {
    const step = (data?.minutes ?? 1) * 60
    const known = data?.buckets.map(({ at }) => at) ?? []
    const times = gridOf(known, step, range)
    const now = Date.now() / 1000
    const within = { from: Math.max(range.from, since), to: Math.min(range.to, now) }
    const gaps = gapsOf(times, known, { stepSeconds: step, periodSeconds: period, within })
    const byTime = new Map(data?.buckets.map((bucket) => [bucket.at, bucket]))
    return {
      times,
      buckets: times.map((at) => byTime.get(at) ?? { at, values: {} }),
      // Maintenance explains why there are no runs.
      gaps: gaps.filter((gap) => !maintenance.some(({ from, to }) => from <= gap.from && gap.to <= to)),
      partial: partialFrom(times, step, now),
    }
  }, [data, range, period, since, maintenance])
}

const formats: Record<TypeView['others'][number]['unit'], (value: number) => string> = {
  ms: formatDuration,
  '%': formatPercent,
  count: (value) => String(Number(value.toPrecision(3))),
  days: (value) => formatNumberOf(Math.floor(value), 'day'),
  score: (value) => String(Number(value.toPrecision(2))),
}

function OtherChart({ other, values, ...common }: OtherChartProps) {
  const key = values.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same values make the same chart
  const series = useMemo(() => [{ label: other.label, color: '--accent', values }], [key, other.label])
  return (
    <TimeChart
      {...common}
      title={other.label}
      series={series}
      isCapped={other.unit !== 'days'}
      format={formats[other.unit]}
    />
  )
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
