import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hourOf, type LaneTiming, passedSlots, slotAfter, slotAtOrBefore, slotOf } from './lane.ts'

const minute = 60_000
const hour = 3_600_000
const lane: LaneTiming = {
  periodMs: minute,
  phaseMs: 6_000,
  turn: 1,
  locations: ['a', 'b', 'c'],
  queues: ['qa', 'qb', 'qc'],
}

const lanes: fc.Arbitrary<LaneTiming> = fc
  .record({
    periodMs: fc.constantFrom(10_000, minute, 5 * minute, 24 * hour),
    phase: fc.integer({ min: 0, max: 9_999 }),
    turn: fc.integer({ min: 0, max: 3 }),
    count: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ periodMs, phase, turn, count }) => {
    const locations = ['a', 'b', 'c', 'd'].slice(0, count)
    return {
      periodMs,
      phaseMs: phase,
      turn: turn % count,
      locations,
      queues: locations.map((name) => `q${name}`),
    }
  })
const instants = fc.integer({ min: -1_000_000, max: Date.UTC(2060, 0) })

describe('slots of a lane', () => {
  it('rotate through its locations, each with its queue', () => {
    const slots = [0, 1, 2, 3].map((n) => slotOf(lane, n))
    expect(slots.map(({ location }) => location)).toEqual(['b', 'c', 'a', 'b'])
    expect(slots.map(({ queue }) => queue)).toEqual(['qb', 'qc', 'qa', 'qb'])
    expect(slots.map(({ at }) => at)).toEqual([6_000, 66_000, 126_000, 186_000])
  })

  it('are found by an instant: at or before it, and strictly after it', () => {
    fc.assert(
      fc.property(lanes, instants, (timing, instant) => {
        const before = slotAtOrBefore(timing, instant)
        const after = slotAfter(timing, instant)
        expect(before.at).toBeLessThanOrEqual(instant)
        expect(after.at).toBeGreaterThan(instant)
        expect(after.at - before.at).toBe(timing.periodMs)
        expect(slotAtOrBefore(timing, before.at)).toEqual(before)
      }),
    )
  })
})

describe('passed slots', () => {
  it('are counted by hour and location, as if one by one', () => {
    fc.assert(
      fc.property(
        lanes,
        fc.integer({ min: 0, max: 50 * hour }),
        fc.integer({ min: 0, max: 30 * hour }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 60 * hour }), fc.integer({ min: 1, max: 10 * hour })), {
          maxLength: 3,
        }),
        (timing, from, length, spans) => {
          const to = from + length
          const outages = spans.map(([start, ms]) => ({ from: start, to: start + ms }))
          const expected = new Map<string, number>()
          for (let slot = slotAfter(timing, from - 1); slot.at < to; slot = slotAfter(timing, slot.at)) {
            const isInOutage = outages.some((outage) => outage.from <= slot.at && slot.at < outage.to)
            const key = `${hourOf(slot.at)} ${slot.location} ${isInOutage}`
            expected.set(key, (expected.get(key) ?? 0) + 1)
          }
          const counted = new Map<string, number>()
          for (const { hour: at, location, isInOutage, count } of passedSlots(
            timing,
            { from, to },
            outages,
          )) {
            const key = `${at} ${location} ${isInOutage}`
            counted.set(key, (counted.get(key) ?? 0) + count)
          }
          expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('are none in an empty or backward span', () => {
    expect(passedSlots(lane, { from: 6_000, to: 6_000 })).toEqual([])
    expect(passedSlots(lane, { from: hour, to: 0 })).toEqual([])
  })

  it('count their first instant and not their last', () => {
    expect(passedSlots(lane, { from: 6_000, to: 66_000 })).toEqual([
      { hour: 0, location: 'b', count: 1, isInOutage: false },
    ])
  })
})
