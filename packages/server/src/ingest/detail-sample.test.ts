import { describe, expect, it } from 'vitest'
import { wholeResult } from '../testing/results.ts'
import { listUnsampled } from './detail-sample.ts'
import { toRecordedRow } from './recorded-row.ts'
import type { RunResult } from './run-result.ts'

const checkId = '5d1f2b7e-0000-4000-8000-000000000001'
const start = Date.UTC(2026, 10, 15, 12)

/** The results of a check, a minute apart: which of them lose their details after a day. */
function unsampledOf(
  results: Partial<RunResult>[],
  { frequency = 1, isSettled = true, percent = 0 } = {},
): number[] {
  const rows = results.map((result, index) =>
    toRecordedRow({
      ...wholeResult({ accountId: checkId, checkId, scheduledAt: start + index * 60_000 }),
      ...{ runId: `run ${index}`, ...result },
    }),
  )
  const checks = new Map([[checkId, { id: checkId, frequency, isSettled }]])
  const unsampled = listUnsampled(rows, checks, percent)
  return rows.flatMap(({ id }, index) => (unsampled.has(id) ? [index] : []))
}

describe('listUnsampled', () => {
  it('has ordinary passes of scheduled runs', () => {
    expect(unsampledOf([{}, {}])).toEqual([0, 1])
  })

  it.each<Partial<RunResult>>([
    { hasFailures: true },
    { isDegraded: true },
    { hasErrors: true },
    { isCancelled: true },
    { attempt: 2 },
    { source: 'session' },
    { source: 'heartbeat' },
  ])('does not have %o', (result) => {
    expect(unsampledOf([result])).toEqual([])
  })

  it('does not have the first pass after a failure, in one report or in several', () => {
    expect(unsampledOf([{}, { hasFailures: true }, {}, {}])).toEqual([0, 3])
    expect(unsampledOf([{}, {}], { isSettled: false })).toEqual([1])
  })

  it('has nothing of checks that run once an hour or more rarely', () => {
    expect(unsampledOf([{}], { frequency: 30 })).toEqual([0])
    expect(unsampledOf([{}], { frequency: 60 })).toEqual([])
    expect(unsampledOf([{}], { frequency: 1440 })).toEqual([])
  })

  it('leaves out the sample, which is the same each time', () => {
    const runs = Array.from({ length: 5_000 }, () => ({}))
    const unsampled = unsampledOf(runs, { percent: 5 })
    expect(unsampledOf(runs, { percent: 5 })).toEqual(unsampled)
    const share = 1 - unsampled.length / runs.length
    expect(share).toBeGreaterThan(0.04)
    expect(share).toBeLessThan(0.06)
    expect(unsampledOf(runs, { percent: 100 })).toEqual([])
  })
})
