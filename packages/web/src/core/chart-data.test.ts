import { describe, expect, it } from 'vitest'
import { capOf, gapsOf, gridOf, isolatedIndexes, partialFrom } from './chart-data.ts'

const step = 600
const range = { from: 0, to: 6000 }

describe('the grid of a chart', () => {
  it('has every bucket of the range', () => {
    const grid = gridOf([1200, 3600], step, range)
    expect(grid).toHaveLength(10)
    expect(grid[0]).toBe(0)
    expect(gridOf([], step, range)).toEqual([])
  })

  it('knows the bucket that is not over', () => {
    const grid = gridOf([0], step, range)
    expect(partialFrom(grid, step, 1500)).toBe(1200)
    expect(partialFrom(grid, step, 6000)).toBeNull()
  })
})

describe('gaps', () => {
  const grid = gridOf([0], step, range)
  it('are times without runs, after the check was made and before now', () => {
    const options = { stepSeconds: step, periodSeconds: 300, within: { from: 1200, to: 5000 } }
    expect(gapsOf(grid, [2400, 3000], options)).toEqual([
      { from: 1200, to: 2400 },
      { from: 3600, to: 5000 },
    ])
  })

  it('are longer than two periods', () => {
    const options = { stepSeconds: step, periodSeconds: 3600, within: range }
    expect(gapsOf(grid, [0, 3600], options)).toEqual([])
  })
})

describe('the cap of the axis', () => {
  const usual = Array.from({ length: 96 }, (_, index) => 100 + (index % 7))
  it('leaves out a single outlier, and nothing usual', () => {
    const cap = capOf([...usual, 9000])
    expect(cap).toBeGreaterThan(100)
    expect(cap).toBeLessThan(1000)
    expect(capOf(usual)).toBeNull()
    expect(capOf([1, 2, 9000])).toBeNull()
    expect(capOf([])).toBeNull()
  })
})

it('draws values without neighbors as points', () => {
  expect(isolatedIndexes([1, null, 2, 3, null, 4])).toEqual([0, 5])
  expect(isolatedIndexes([7])).toEqual([0])
})
