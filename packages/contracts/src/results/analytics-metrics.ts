// What can be asked of the results of a check: the metrics of each type, alone or with an aggregation behind them.
import type { CheckType } from '../checks/index.ts'
import { metricIndexes, resultMetrics } from '../runs/runs.ts'

export const metricUnits = ['milliseconds', 'score', 'count', 'percentage'] as const

export type MetricUnit = (typeof metricUnits)[number]

export const aggregations = [
  'avg',
  'max',
  'median',
  'min',
  'p50',
  'p90',
  'p95',
  'p99',
  'stddev',
  'sum',
] as const

export type Aggregation = (typeof aggregations)[number]

interface MetricText {
  /** Null: the value of a run, or of what is counted. */
  aggregation: Aggregation | null
  unit: MetricUnit
  label: string
}

export interface MeasuredMetric extends MetricText {
  /** As callers ask for it: responseTime, responseTime_p95. */
  name: string
  /** The index of its values (`metricIndexes`). */
  slot: number
}

export type Metric = MeasuredMetric | (MetricText & { name: CountedMetric; slot: null })

type Measured = (typeof resultMetrics)[CheckType][number]

const measured: Record<Measured, { unit: MetricUnit; label: string }> = {
  responseTime: { unit: 'milliseconds', label: 'Response time' },
  wait: { unit: 'milliseconds', label: 'Wait' },
  dns: { unit: 'milliseconds', label: 'DNS' },
  tcp: { unit: 'milliseconds', label: 'TCP' },
  firstByte: { unit: 'milliseconds', label: 'First byte' },
  download: { unit: 'milliseconds', label: 'Download' },
  TTFB: { unit: 'milliseconds', label: 'Time to first byte' },
  FCP: { unit: 'milliseconds', label: 'First contentful paint' },
  LCP: { unit: 'milliseconds', label: 'Largest contentful paint' },
  CLS: { unit: 'score', label: 'Cumulative layout shift' },
  TBT: { unit: 'milliseconds', label: 'Total blocking time' },
  consoleErrors: { unit: 'count', label: 'Console errors' },
  networkErrors: { unit: 'count', label: 'Network errors' },
  userScriptErrors: { unit: 'count', label: 'User script errors' },
  documentErrors: { unit: 'count', label: 'Document errors' },
  total: { unit: 'milliseconds', label: 'Total' },
  connection: { unit: 'milliseconds', label: 'Connection' },
  data: { unit: 'milliseconds', label: 'Data' },
  packetLoss: { unit: 'percentage', label: 'Packet loss' },
  latencyMin: { unit: 'milliseconds', label: 'Least latency' },
  latencyMax: { unit: 'milliseconds', label: 'Greatest latency' },
  latencyAvg: { unit: 'milliseconds', label: 'Average latency' },
  latencyStdDev: { unit: 'milliseconds', label: 'Standard deviation of latency' },
}

/** What is counted of runs instead of measured in them. */
export const countedMetrics = ['availability', 'retries'] as const

export type CountedMetric = (typeof countedMetrics)[number]

const counted: Record<CountedMetric, { unit: MetricUnit; label: string }> = {
  availability: { unit: 'percentage', label: 'Availability' },
  retries: { unit: 'count', label: 'Retries' },
}

/** Base metrics first, then each with every aggregation. */
export function metricsOf(type: CheckType): Metric[] {
  const indexes: Record<string, number> = metricIndexes[type]
  const names: readonly Measured[] = resultMetrics[type]
  const base = names.map((name) => ({
    name: name as string,
    slot: indexes[name] as number,
    aggregation: null,
    ...measured[name],
  }))
  const aggregated = base.flatMap((metric) =>
    aggregations.map((aggregation) => ({
      ...metric,
      name: `${metric.name}_${aggregation}`,
      aggregation,
      label: `${metric.label} (${aggregation})`,
    })),
  )
  const ofRuns = countedMetrics.map((name) => ({ name, slot: null, aggregation: null, ...counted[name] }))
  return [...base, ...ofRuns, ...aggregated]
}
