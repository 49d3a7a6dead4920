import { describe, expect, it } from 'vitest'
import { createBackoff } from './backoff.ts'

describe('a back-off', () => {
  it('doubles up to its bound, and begins anew after a success', () => {
    const backoff = createBackoff({ firstMs: 100, maxMs: 1_000 }, () => 1)
    expect(Array.from({ length: 6 }, () => backoff.next())).toEqual([100, 200, 400, 800, 1_000, 1_000])
    backoff.reset()
    expect(backoff.next()).toBe(100)
  })

  it('differs between agents by up to a half, and is never more than five seconds', () => {
    const [low, high] = [createBackoff({}, () => 0), createBackoff({}, () => 1)]
    for (let tries = 0; tries < 50; tries++) {
      const [least, most] = [low.next(), high.next()]
      expect(least).toBe(most / 2)
      expect(most).toBeLessThanOrEqual(5_000)
    }
  })
})
