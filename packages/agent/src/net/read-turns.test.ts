import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { readTurns } from './read-body.ts'

it('lets so many proceed per turn of the event loop, in order', async () => {
  const turns = readTurns(2)
  const order: number[] = []
  const behind = [1, 2, 3, 4, 5].map((at) => turns.wait(() => order.push(at)).isBehindOthers)
  expect(behind).toEqual([false, false, true, true, true])
  expect(order).toEqual([])
  await nextTurn()
  expect(order).toEqual([1, 2])
  await nextTurn()
  expect(order).toEqual([1, 2, 3, 4])
  await nextTurn()
  expect(order).toEqual([1, 2, 3, 4, 5])
})

it('forgets one that was canceled', async () => {
  const turns = readTurns(1)
  const order: number[] = []
  const { cancel } = turns.wait(() => order.push(1))
  turns.wait(() => order.push(2))
  cancel()
  await nextTurn()
  expect(order).toEqual([2])
})
