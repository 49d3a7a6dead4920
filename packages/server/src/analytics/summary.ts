// Adds up runs: their number, successes, retries and measurements.
import type { CountedMetric, Metric } from '@vedette/contracts'
import type { Tally } from '../storage/results/tallies.ts'
import { Measure } from './measure.ts'

export class Summary {
  #runs = 0
  #successes = 0
  #retries = 0
  readonly #measures: Measure[] = []

  /** `metricCount`: the number of metrics per tally. */
  constructor(metricCount: number) {
    for (let position = 0; position < metricCount; position++) this.#measures.push(new Measure())
  }

  add({ outcome, runs, retries, values, sketches }: Tally): void {
    this.#runs += runs
    this.#retries += retries
    if (outcome === 'success') this.#successes += runs
    for (const [position, measure] of this.#measures.entries()) {
      const bytes = sketches[position]
      const own = values?.[position]
      if (bytes) measure.addSketch(bytes)
      else if (own) measure.addValues(own)
    }
  }

  /** Percentage of runs that passed; null without runs. */
  get availability(): number | null {
    return this.#runs === 0 ? null : round((this.#successes / this.#runs) * 100)
  }

  /** `position`: of the metric among those of the tallies. */
  measured(position: number, aggregation: NonNullable<Metric['aggregation']>): number | null {
    const value = this.#measures[position]?.get(aggregation) ?? null
    return value === null ? null : round(value)
  }

  readonly #counted: Record<CountedMetric, () => number | null> = {
    availability: () => this.availability,
    retries: () => (this.#runs === 0 ? null : this.#retries),
  }

  /** The default aggregation is the average. */
  get(metric: Metric, metricIndexes: number[]): number | null {
    if (metric.metricIndex !== null)
      return this.measured(metricIndexes.indexOf(metric.metricIndex), metric.aggregation ?? 'avg')
    return this.#counted[metric.name]()
  }
}

/** Four decimals: a tenth of a microsecond, a layout shift of 0.0001. */
export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
