import { describe, expect, it } from 'vitest'
import { NotifyTurns } from './notify-turns.ts'

/** The limits of turns in which more waits than they take. */
function limitsOf(turns: NotifyTurns, pressed: boolean[]): number[] {
  return pressed.map((isPressed) => {
    const limit = turns.limit(isPressed)
    turns.done(limit, limit)
    return limit
  })
}

describe('how many alerts are addressed in a turn', () => {
  it('many, where nothing else presses', () => {
    expect(limitsOf(new NotifyTurns(), [false, false])).toEqual([500, 500])
  })

  it('few while results press, and many as soon as they do not', () => {
    expect(limitsOf(new NotifyTurns(), [true, true, false])).toEqual([20, 20, 500])
  })

  it('many after ten seconds, however much presses', () => {
    const limits = limitsOf(new NotifyTurns(), Array(42).fill(true))
    expect(limits.slice(38)).toEqual([20, 20, 500, 500])
  })

  it('few again once all were addressed', () => {
    const turns = new NotifyTurns()
    limitsOf(turns, Array(50).fill(true))
    turns.done(3, 500)
    expect(turns.limit(true)).toBe(20)
  })
})
