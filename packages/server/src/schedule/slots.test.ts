import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LaneTiming, passedSlots, slotAfter, slotAtOrBefore, slotOf } from './lane.ts'
import { periodOf, phaseOf, type Timing } from './slots.ts'

const id = '7d8f3b7e-52c1-4a57-9b38-8d4f5a3c2e10'
const timing = (frequency: number, frequencyOffset: number | null = null): Timing => ({
  id,
  frequency,
  frequencyOffset,
})

const minutes = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]
const timings = fc.oneof(
  fc.record({ id: fc.uuid(), frequency: fc.constant(0), frequencyOffset: fc.constantFrom(10, 20, 30) }),
  fc.record({
    id: fc.uuid(),
    frequency: fc.constantFrom(...minutes),
    frequencyOffset: fc.option(fc.integer({ min: 1, max: 600 })),
  }),
)
const instants = fc.integer({ min: 0, max: Date.UTC(2200, 0) })

describe('the period', () => {
  it.each([
    [0, 10, 10_000],
    [0, 20, 20_000],
    [0, 30, 30_000],
    [1, null, 60_000],
    [1, 5, 60_000],
    [10, null, 600_000],
    [60, 600, 3_600_000],
    [1440, 24, 86_400_000],
  ])('of frequency %s with offset %s is %s ms', (frequency, offset, expected) => {
    expect(periodOf(timing(frequency, offset))).toBe(expected)
  })

  it.each([
    [0, null],
    [0, 0],
    [-1, null],
    [Number.NaN, null],
  ])('of frequency %s with offset %s does not exist', (frequency, offset) => {
    expect(() => periodOf(timing(frequency, offset))).toThrow(/no period/)
  })
})

describe('the phase', () => {
  it.each([
    [1, 1, 6_000],
    [1, 9, 54_000],
    [1, 10, 0],
    [5, 7, 42_000],
    [60, 1, 6_000],
    [60, 599, 3_594_000],
    [60, 600, 0],
    [120, 1, 3_600_000],
    [120, 2, 0],
    [1440, 1, 3_600_000],
    [1440, 23, 82_800_000],
    [1440, 24, 0],
  ])('of frequency %s with offset %s is %s ms', (frequency, offset, expected) => {
    expect(phaseOf(timing(frequency, offset))).toBe(expected)
  })

  it('without an offset is constant for a check', () => {
    expect(phaseOf(timing(1))).toBe(phaseOf(timing(1)))
    expect(phaseOf({ ...timing(1), id: 'another' })).not.toBe(phaseOf(timing(1)))
  })

  it.each([
    ['every 10 seconds', 0, 10],
    ['every minute', 1, null],
    ['every day', 1440, null],
  ])('spreads 10,000 checks evenly over the period: %s', (_, frequency, frequencyOffset) => {
    const tenths = new Array<number>(10).fill(0)
    for (let n = 0; n < 10_000; n++) {
      const check = { id: `check-${n}`, frequency, frequencyOffset }
      const tenth = Math.floor((phaseOf(check) / periodOf(check)) * 10)
      tenths[tenth] = tenths[tenth]! + 1
    }
    expect(Math.min(...tenths)).toBeGreaterThan(900)
    expect(Math.max(...tenths)).toBeLessThan(1_100)
  })
})

describe('slots of a check', () => {
  const laneOf = (check: Timing): LaneTiming => ({
    periodMs: periodOf(check),
    phaseMs: phaseOf(check),
    turn: 0,
    locations: ['a'],
    queues: ['qa'],
  })
  const countSlots = (check: Timing, from: number, to: number) =>
    passedSlots(laneOf(check), { from, to }).reduce((sum, { count }) => sum + count, 0)

  it('lie at phase + n × period, years away to the millisecond', () => {
    const lane = laneOf(timing(5, 7))
    expect(slotOf(lane, 0).at).toBe(42_000)
    expect(new Date(slotAfter(lane, Date.UTC(2026, 0)).at).toISOString()).toBe('2026-01-01T00:00:42.000Z')
    const inTwentyYears = slotAfter(lane, Date.UTC(2046, 5, 15, 12, 0, 42) - 1)
    expect(new Date(inTwentyYears.at).toISOString()).toBe('2046-06-15T12:00:42.000Z')
  })

  it('are found by their own instant, and not a millisecond before', () => {
    fc.assert(
      fc.property(timings, instants, (check, instant) => {
        const lane = laneOf(check)
        const n = Math.floor(instant / lane.periodMs)
        expect(slotAtOrBefore(lane, slotOf(lane, n).at)).toEqual(slotOf(lane, n))
        expect(slotAtOrBefore(lane, slotOf(lane, n).at - 1)).toEqual(slotOf(lane, n - 1))
      }),
    )
  })

  it('come next strictly after an instant, at most one period later', () => {
    fc.assert(
      fc.property(timings, instants, (check, instant) => {
        const lane = laneOf(check)
        const { at } = slotAfter(lane, instant)
        expect(at).toBeGreaterThan(instant)
        expect(at - instant).toBeLessThanOrEqual(lane.periodMs)
        expect(slotAfter(lane, at).at).toBe(at + lane.periodMs)
      }),
    )
  })

  it.each([
    ['a span without a slot', 42_001, 342_000, 0],
    ['its first instant counts', 42_000, 42_001, 1],
    ['its last instant does not', 0, 42_000, 0],
    ['an empty span', 42_000, 42_000, 0],
    ['a span that runs backwards', 900_000, 0, 0],
    ['an hour', 3_600_000, 7_200_000, 12],
    ['a year', Date.UTC(2026, 0), Date.UTC(2027, 0), 365 * 288],
    ['before the epoch', -300_000, 0, 1],
  ])('are counted between two instants: %s', (_, from, to, expected) => {
    expect(countSlots(timing(5, 7), from, to)).toBe(expected)
  })

  it('are counted once each by neighboring spans', () => {
    const day = 86_400_000
    const within = fc.integer({ min: 0, max: 3 * day })
    fc.assert(
      fc.property(timings, instants, fc.tuple(within, within, within), (check, start, cuts) => {
        const [from, middle, to] = cuts.sort((a, b) => a - b).map((ms) => start + ms) as [
          number,
          number,
          number,
        ]
        const whole = countSlots(check, from, to)
        expect(countSlots(check, from, middle) + countSlots(check, middle, to)).toBe(whole)
      }),
    )
  })
})
