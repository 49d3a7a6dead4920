import { describe, expect, it } from 'vitest'
import { rangeUnder } from './chart-touch.ts'

describe('fingers on a chart', () => {
  it('pan', () => {
    const { from, to } = rangeUnder({ positions: [0.5], from: 0, to: 1000 }, [0.7])
    expect(from).toBeCloseTo(-200)
    expect(to).toBeCloseTo(800)
  })

  it('zoom in when they move apart, around their middle', () => {
    const { from, to } = rangeUnder({ positions: [0.4, 0.6], from: 0, to: 1000 }, [0.3, 0.7])
    expect(from).toBeCloseTo(250)
    expect(to).toBeCloseTo(750)
  })

  it('never zoom below a minute', () => {
    const { from, to } = rangeUnder({ positions: [0.49, 0.51], from: 0, to: 1000 }, [0, 1])
    expect(to - from).toBe(60)
  })
})
