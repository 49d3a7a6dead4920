import { describe, expect, it } from 'vitest'
import { addEnds, isOver, type RunEnd, type SessionCounts, statusOf } from './check-session-state.ts'

const begun = (expected: number): SessionCounts => ({
  expected,
  done: 0,
  failed: 0,
  degraded: 0,
  errors: 0,
  timedOut: 0,
  cancelled: 0,
})

const cases: [RunEnd[], number, string][] = [
  [[], 2, 'STARTED'],
  [['passed'], 2, 'PROGRESS'],
  [['degraded'], 2, 'PROGRESS_DEGRADED'],
  [['failed'], 2, 'PROGRESS_FAILED'],
  [['error'], 2, 'PROGRESS_FAILED'],
  [['timed_out'], 2, 'PROGRESS_FAILED'],
  [['cancelled'], 2, 'PROGRESS'],
  [['degraded', 'failed'], 3, 'PROGRESS_FAILED'],
  [['passed', 'passed'], 2, 'PASSED'],
  [['passed', 'degraded'], 2, 'DEGRADED'],
  [['degraded', 'failed'], 2, 'FAILED'],
  [['passed', 'error'], 2, 'FAILED'],
  [['failed', 'timed_out'], 2, 'TIMED_OUT'],
  [['timed_out', 'cancelled'], 2, 'CANCELLED'],
]

describe('a check session', () => {
  it.each(cases)('%j of %i is %s', (ends, expected, status) => {
    const counts = addEnds(begun(expected), ends)
    expect(statusOf(counts)).toBe(status)
    expect(isOver(counts)).toBe(ends.length === expected)
  })

  it('adds up the same however the ends arrive', () => {
    const ends: RunEnd[] = ['failed', 'passed', 'degraded']
    const oneByOne = ends.reduce((counts, end) => addEnds(counts, [end]), begun(3))
    expect(oneByOne).toEqual(addEnds(begun(3), ends))
  })
})
