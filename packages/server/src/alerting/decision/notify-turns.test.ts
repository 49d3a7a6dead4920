import { describe, expect, it } from 'vitest'
import { NotifyTurns } from './notify-turns.ts'

/** The limits of turns in which more alerts wait than the limit. */
function limitsOf(turns: NotifyTurns, pressure: boolean[]): number[] {
  return pressure.map((isUnderPressure) => {
    const limit = turns.limit(isUnderPressure)
    turns.done(limit, limit)
    return limit
  })
}

describe('the number of alerts per turn', () => {
  it('is large without pressure', () => {
    expect(limitsOf(new NotifyTurns(), [false, false])).toEqual([500, 500])
  })

  it('is small under pressure, and large again afterwards', () => {
    expect(limitsOf(new NotifyTurns(), [true, true, false])).toEqual([20, 20, 500])
  })

  it('is large after ten seconds of pressure', () => {
    const limits = limitsOf(new NotifyTurns(), Array(42).fill(true))
    expect(limits.slice(38)).toEqual([20, 20, 500, 500])
  })

  it('is small again once no alerts wait', () => {
    const turns = new NotifyTurns()
    limitsOf(turns, Array(50).fill(true))
    turns.done(3, 500)
    expect(turns.limit(true)).toBe(20)
  })
})
