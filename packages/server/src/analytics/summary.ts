// Runs that are looked at as one: how many, how many of them well, and what was measured in them.
import type { CountedMetric, Metric } from '@vedette/contracts'
import type { Tally } from '../storage/results/tallies.ts'
import { Measure } from './measure.ts'

export class Summary {
  #runs = 0
  #successes = 0
  #retries = 0
  readonly #measures: Measure[] = []

  /** `slots`: how many metrics the tallies bring along. */
  constructor(slots: number) {
    for (let slot = 0; slot < slots; slot++) this.#measures.push(new Measure())
  }

  add({ outcome, runs, retries, values, sketches }: Tally): void {
    this.#runs += runs
    this.#retries += retries
    if (outcome === 'success') this.#successes += runs
    for (let slot = 0; slot < this.#measures.length; slot++) {
      const bytes = sketches[slot]
      const own = values?.[slot]
      if (bytes) this.#measures[slot]?.addSketch(bytes)
      else if (own) this.#measures[slot]?.addValues(own)
    }
  }

  /** Percent of the runs that passed; null when there was none. */
  get availability(): number | null {
    return this.#runs === 0 ? null : rounded((this.#successes / this.#runs) * 100)
  }

  /** `slot` is the place among the slots that were asked for. */
  measured(slot: number, aggregation: NonNullable<Metric['aggregation']>): number | null {
    const value = this.#measures[slot]?.get(aggregation) ?? null
    return value === null ? null : rounded(value)
  }

  readonly #counted: Record<CountedMetric, () => number | null> = {
    availability: () => this.availability,
    retries: () => (this.#runs === 0 ? null : this.#retries),
  }

  /** A metric without an aggregation is the average here. */
  get(metric: Metric, slots: number[]): number | null {
    if (metric.metricIndex !== null)
      return this.measured(slots.indexOf(metric.metricIndex), metric.aggregation ?? 'avg')
    return this.#counted[metric.name]()
  }
}

/** Four decimals: a tenth of a microsecond, a layout shift of 0.0001. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
