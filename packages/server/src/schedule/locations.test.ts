import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { locationsForSlot, type Placement, rotationOf, tracksOf } from './locations.ts'
import { slotAt } from './slots.ts'

const check = {
  id: '7d8f3b7e-52c1-4a57-9b38-8d4f5a3c2e10',
  frequency: 1,
  frequencyOffset: 3,
  locations: ['us-east-1', 'eu-west-1'],
  privateLocations: ['office'],
  runParallel: false,
}

const turns = (placement: Placement, from: number, count: number) =>
  Array.from({ length: count }, (_, n) => locationsForSlot(placement, from + n))

const names = fc.uniqueArray(fc.constantFrom('us-east-1', 'eu-west-1', 'ap-south-1', 'sa-east-1'))
const placements = fc.record({
  id: fc.uuid(),
  frequency: fc.constantFrom(1, 5, 1440),
  frequencyOffset: fc.constant(null),
  locations: names,
  privateLocations: fc.uniqueArray(fc.constantFrom('office', 'lab')),
  runParallel: fc.boolean(),
})

describe('round robin', () => {
  it('visits every location once per turn, public and private ones', () => {
    const first = turns(check, 29_000_000, 3).flat()
    expect(first.toSorted()).toEqual(['eu-west-1', 'office', 'us-east-1'])
    expect(turns(check, 29_000_003, 3).flat()).toEqual(first)
  })

  it('uses one location per slot', () => {
    expect(turns(check, 0, 100).every((locations) => locations.length === 1)).toBe(true)
  })

  it('does not depend on the order of the lists or on repeated names', () => {
    const other = { ...check, locations: ['eu-west-1', 'us-east-1', 'eu-west-1'] }
    expect(turns(other, 1_000, 10)).toEqual(turns(check, 1_000, 10))
  })

  it('spreads checks of one frequency over the locations of one slot', () => {
    const counts = new Map<string | undefined, number>()
    for (let n = 0; n < 3_000; n++) {
      const [location] = locationsForSlot({ ...check, id: `check-${n}` }, 29_000_000)
      counts.set(location, (counts.get(location) ?? 0) + 1)
    }
    expect([...counts.keys()].toSorted()).toEqual(['eu-west-1', 'office', 'us-east-1'])
    expect(Math.min(...counts.values())).toBeGreaterThan(900)
  })
})

describe('all locations', () => {
  it('serve each slot with runParallel', () => {
    expect(locationsForSlot({ ...check, runParallel: true }, 7)).toEqual(['eu-west-1', 'us-east-1', 'office'])
  })

  it.each([
    ['empty lists', [], []],
    ['no lists', null, null],
    ['lists the type does not have', undefined, undefined],
  ])('may be none: %s', (_, locations, privateLocations) => {
    for (const runParallel of [true, false]) {
      const nowhere = { ...check, locations, privateLocations, runParallel }
      expect(rotationOf(nowhere)).toEqual([])
      expect(locationsForSlot(nowhere, 5)).toEqual([])
      expect(tracksOf(nowhere)).toEqual([])
    }
  })
})

describe('tracks', () => {
  it('agree with the location of every slot', () => {
    fc.assert(
      fc.property(placements, fc.integer({ min: 0, max: 30_000_000 }), (placement, slot) => {
        const instant = slotAt(placement, slot)
        const due = tracksOf(placement).filter(
          ({ periodMs, phaseMs }) => Math.abs((instant - phaseMs) % periodMs) === 0,
        )
        expect(due.map(({ location }) => location)).toEqual(locationsForSlot(placement, slot))
      }),
    )
  })

  it('start within one turn, so a changed list is due no more often than once per slot', () => {
    fc.assert(
      fc.property(placements, (placement) => {
        const tracks = tracksOf({ ...placement, runParallel: false })
        expect(tracks.every(({ periodMs, phaseMs }) => phaseMs >= 0 && phaseMs < periodMs)).toBe(true)
        expect(new Set(tracks.map(({ phaseMs }) => phaseMs)).size).toBe(tracks.length)
      }),
    )
  })
})
