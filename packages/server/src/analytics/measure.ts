// The measurements of a set of runs: exact values while all of them are known, otherwise a sketch.
import type { Aggregation } from '@vedette/contracts'
import { Sketch } from './sketch.ts'

const quantiles: Partial<Record<Aggregation, number>> = {
  median: 0.5,
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
}

export class Measure {
  #values: number[] | null = null
  #isSorted = false
  #sketch: Sketch | null = null

  addValues(values: readonly (number | null)[]): void {
    this.#isSorted = false
    if (this.#sketch === null) this.#values ??= []
    for (const value of values) {
      if (!isMeasured(value)) continue
      if (this.#sketch === null) this.#values?.push(value)
      else this.#sketch.add(value)
    }
  }

  addSketch(bytes: Buffer): void {
    const sketch = Sketch.decode(bytes)
    if (this.#sketch !== null) this.#sketch.merge(sketch)
    else {
      this.#sketch = sketch
      for (const value of this.#values ?? []) sketch.add(value)
      this.#values = null
    }
  }

  /** Null when nothing was measured. */
  get(aggregation: Aggregation): number | null {
    const { count, sum, sumOfSquares, min, max } = this.#sketch ?? this.#totals()
    if (count === 0) return null
    const q = quantiles[aggregation]
    if (q !== undefined) return this.#quantile(q)
    if (aggregation === 'avg') return sum / count
    if (aggregation === 'sum') return sum
    if (aggregation === 'min') return min
    if (aggregation === 'max') return max
    return Math.sqrt(Math.max(0, sumOfSquares / count - (sum / count) ** 2))
  }

  #quantile(q: number): number | null {
    if (this.#sketch !== null) return this.#sketch.quantile(q)
    const values = this.#values ?? []
    if (!this.#isSorted) values.sort((a, b) => a - b)
    this.#isSorted = true
    const rank = q * (values.length - 1)
    const below = values[Math.floor(rank)] ?? 0
    return below + ((values[Math.ceil(rank)] ?? below) - below) * (rank - Math.floor(rank))
  }

  #totals() {
    const values = this.#values ?? []
    const totals = { count: values.length, sum: 0, sumOfSquares: 0, min: Number.POSITIVE_INFINITY, max: 0 }
    for (const value of values) {
      totals.sum += value
      totals.sumOfSquares += value * value
      totals.min = Math.min(totals.min, value)
      totals.max = Math.max(totals.max, value)
    }
    return totals
  }
}

/** False for absent phases, and for negative or infinite values of a broken clock. */
export function isMeasured(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}
