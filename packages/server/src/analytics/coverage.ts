// Adds up the coverage of a check. In: rows per hour and location. Out: counts, reasons and the distribution of the lag.
import type { CoverageCounts } from '@vedette/contracts'
import type { CoverageRow } from '../storage/runs/coverage-reads.ts'
import { Sketch } from './sketch.ts'

export function coverageCounts(rows: readonly CoverageRow[]): CoverageCounts {
  const sum = (pick: (row: CoverageRow) => number) => rows.reduce((total, row) => total + pick(row), 0)
  const reason = (name: string) => sum(({ reasons }) => reasons[name] ?? 0)
  const executed = sum((row) => row.executed)
  const skipped = sum((row) => row.skipped)
  const missed = sum((row) => row.missed)
  const expected = executed + skipped + missed
  // Pauses by maintenance windows don't lower the ratio.
  const required = expected - reason('maintenance')
  return {
    expected,
    executed,
    skipped,
    missed,
    ratio: required === 0 ? null : executed / required,
    reasons: {
      inProgress: reason('in_progress'),
      maintenance: reason('maintenance'),
      quota: reason('quota'),
      agent: reason('agent'),
      server: reason('server'),
    },
    lag: lagOf(rows),
  }
}

function lagOf(rows: readonly CoverageRow[]): CoverageCounts['lag'] {
  const sketch = new Sketch()
  for (const { lag, lags } of rows) {
    if (lag !== null) sketch.merge(Sketch.decode(lag))
    for (const value of lags ?? []) sketch.add(value)
  }
  if (sketch.count === 0) return null
  const quantile = (q: number) => Math.round(sketch.quantile(q) ?? 0)
  return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), max: Math.round(sketch.max ?? 0) }
}
