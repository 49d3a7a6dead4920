import type { RepeatingPeriod } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import {
  extendDeadline,
  type HeartbeatTimer,
  stateOfPing,
  timerFrom,
  toleranceOf,
} from './heartbeat-state.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 10, 15, 8)

/** Every hour, ten minutes of grace, last pinged at 08:00. */
const timer: HeartbeatTimer = {
  periodMs: hour,
  graceMs: 10 * minute,
  ...timerFrom(start, { periodMs: hour, graceMs: 10 * minute }),
}
const due = start + hour
const deadline = due + 10 * minute

describe('a ping', () => {
  it.each([
    [
      'RECEIVED',
      'the first one, whenever it comes',
      { ...timer, dueAt: null, deadlineAt: null },
      start,
      null,
    ],
    ['EARLY', 'just after the last one', timer, start + 1, 'RECEIVED'],
    ['EARLY', 'before the tolerance', timer, due - 36_001, 'RECEIVED'],
    ['RECEIVED', 'at the beginning of the tolerance', timer, due - 36_000, 'GRACE'],
    ['RECEIVED', 'when it is due', timer, due, 'EARLY'],
    ['RECEIVED', 'at the end of the tolerance', timer, due + 36_000, 'LATE'],
    ['GRACE', 'after the tolerance', timer, due + 36_001, 'RECEIVED'],
    ['GRACE', 'at the deadline', timer, deadline, 'RECEIVED'],
    ['LATE', 'after the deadline, before anyone noticed', timer, deadline + 1, 'RECEIVED'],
    ['LATE', 'the first one after a failure', timer, start + minute, 'FAILING'],
    [
      'LATE',
      'past a deadline that is within the tolerance',
      { ...timer, graceMs: 0, deadlineAt: due },
      due + 1,
      'EARLY',
    ],
  ] as const)('is %s: %s', (state, _when, given, at, previous) => {
    expect(stateOfPing(given, at, previous)).toBe(state)
  })

  it.each([
    [30_000, 1_000],
    [hour, 36_000],
    [365 * 24 * hour, 60_000],
  ])('of a period of %i ms may be %i ms off', (periodMs, toleranceMs) => {
    expect(toleranceOf(periodMs)).toBe(toleranceMs)
  })
})

describe('a deadline', () => {
  const window = (from: number, to: number, repeat: Partial<RepeatingPeriod> = {}): RepeatingPeriod => ({
    startsAt: new Date(from).toISOString(),
    endsAt: new Date(to).toISOString(),
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    ...repeat,
  })

  it.each<[string, RepeatingPeriod[], number, number]>([
    ['stays without windows', [], deadline, deadline],
    ['stays with a window before the timer', [window(start - hour, start)], deadline, deadline],
    [
      'moves by a window within the period',
      [window(start + minute, start + 21 * minute)],
      deadline,
      deadline + 20 * minute,
    ],
    [
      'moves by the part after the ping of a window',
      [window(start - hour, start + 5 * minute)],
      deadline,
      deadline + 5 * minute,
    ],
    [
      'moves by an open window to the time left after its end',
      [window(deadline - minute, deadline + hour)],
      deadline,
      deadline + hour + minute,
    ],
    [
      'counts windows that overlap once',
      [window(start + minute, start + 11 * minute), window(start + 6 * minute, start + 16 * minute)],
      deadline,
      deadline + 15 * minute,
    ],
    ['ignores a window that has not begun', [window(deadline + minute, deadline + hour)], deadline, deadline],
    [
      'moves by each time of a repeating window',
      [
        window(start - 24 * hour + minute, start - 24 * hour + 3 * minute, {
          repeatInterval: 1,
          repeatUnit: 'DAY',
        }),
      ],
      deadline,
      deadline + 2 * minute,
    ],
  ])('%s', (_name, windows, now, expected) => {
    expect(extendDeadline(timer, windows, now)).toBe(expected)
  })

  it('is infinite without a timer', () => {
    expect(extendDeadline({ ...timer, dueAt: null, deadlineAt: null }, [], deadline)).toBe(
      Number.POSITIVE_INFINITY,
    )
  })

  it('is the same if it was extended before', () => {
    const windows = [window(deadline - minute, deadline + hour)]
    const moved = { ...timer, deadlineAt: extendDeadline(timer, windows, deadline) }
    expect(extendDeadline(moved, windows, moved.deadlineAt)).toBe(moved.deadlineAt)
  })
})
