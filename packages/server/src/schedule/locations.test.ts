import { describe, expect, it } from 'vitest'
import { firstTurn, rotationOf } from './locations.ts'

const check = {
  id: '7d8f3b7e-52c1-4a57-9b38-8d4f5a3c2e10',
  locations: ['us-east-1', 'eu-west-1'],
  privateLocations: ['office'],
}

describe('the rotation', () => {
  it('has data centers first, then private locations, each by name', () => {
    expect(rotationOf(check)).toEqual(['eu-west-1', 'us-east-1', 'office'])
  })

  it('does not depend on the order of the lists or on repeated names', () => {
    expect(rotationOf({ ...check, locations: ['eu-west-1', 'us-east-1', 'eu-west-1'] })).toEqual(
      rotationOf(check),
    )
  })

  it.each([
    ['empty lists', [], []],
    ['no lists', null, null],
    ['lists the type does not have', undefined, undefined],
  ])('may be empty: %s', (_, locations, privateLocations) => {
    expect(rotationOf({ ...check, locations, privateLocations })).toEqual([])
  })
})

describe('the first turn', () => {
  it('spreads checks over the locations', () => {
    const counts = [0, 0, 0]
    for (let n = 0; n < 3_000; n++) {
      const turn = firstTurn(`check-${n}`, 3)
      counts[turn] = (counts[turn] ?? 0) + 1
    }
    expect(Math.min(...counts)).toBeGreaterThan(900)
  })

  it('is constant for a check, and 0 without locations', () => {
    expect(firstTurn(check.id, 5)).toBe(firstTurn(check.id, 5))
    expect(firstTurn(check.id, 0)).toBe(0)
  })
})
