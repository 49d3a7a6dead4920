// The metrics of each check type, without and with an aggregation.
import type { MetricUnit } from '../checks/definition.ts'
import { type CheckType, definitionOf } from '../checks/index.ts'

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
  /** Null: the value of one run, or a counted metric. */
  aggregation: Aggregation | null
  unit: MetricUnit
  label: string
}

export interface MeasuredMetric extends MetricText {
  /** Such as responseTime or responseTime_p95. */
  name: string
  /** The index of its values. */
  metricIndex: number
}

export type Metric = MeasuredMetric | (MetricText & { name: CountedMetric; metricIndex: null })

/** Metrics that are counted over runs, not measured in a run. */
export const countedMetrics = ['availability', 'retries'] as const

export type CountedMetric = (typeof countedMetrics)[number]

const counted: Record<CountedMetric, { unit: MetricUnit; label: string }> = {
  availability: { unit: 'percentage', label: 'Availability' },
  retries: { unit: 'count', label: 'Retries' },
}

/** The names of metrics that reports accept and leave out, with and without an aggregation. */
export function unmeasuredMetricsOf(type: CheckType): string[] {
  const names = definitionOf(type).analytics?.unmeasured ?? []
  return names.flatMap((name) => [name, ...aggregations.map((aggregation) => `${name}_${aggregation}`)])
}

/** Base metrics first, then each with every aggregation. */
export function metricsOf(type: CheckType): Metric[] {
  const base = Object.entries(definitionOf(type).metrics).map(([name, { index, unit, label }]) => ({
    name,
    metricIndex: index,
    aggregation: null,
    unit,
    label,
  }))
  const aggregated = base.flatMap((metric) =>
    aggregations.map((aggregation) => ({
      ...metric,
      name: `${metric.name}_${aggregation}`,
      aggregation,
      label: `${metric.label} (${aggregation})`,
    })),
  )
  const ofRuns = countedMetrics.map((name) => ({
    name,
    metricIndex: null,
    aggregation: null,
    ...counted[name],
  }))
  return [...base, ...ofRuns, ...aggregated]
}
