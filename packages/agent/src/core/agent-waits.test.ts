import { expect, it } from 'vitest'
import { agentWaits } from './agent-waits.ts'

it('adds up waits, counts overlapping ones once, and notifies when waiting starts and ends', () => {
  let time = 0
  const waits = agentWaits(() => time)
  const changes: boolean[] = []
  const unwatch = waits.watch((isWaiting) => changes.push(isWaiting))
  const endFirst = waits.begin()
  time = 10
  const endSecond = waits.begin()
  expect(waits.totalMs).toBe(10)
  time = 30
  endFirst()
  endFirst()
  time = 40
  endSecond()
  time = 100
  expect(waits.totalMs).toBe(40)
  const endThird = waits.begin()
  time = 105
  endThird()
  expect(waits.totalMs).toBe(45)
  unwatch()
  waits.begin()
  expect(changes).toEqual([true, false, true, false])
})
