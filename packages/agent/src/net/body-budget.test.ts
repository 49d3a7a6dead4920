import { expect, it } from 'vitest'
import { bodyBudget } from './body-budget.ts'

it('gives room at once while there is some, and lets the rest wait in order', async () => {
  const budget = bodyBudget(100)
  const [first, second, third] = [budget.open(), budget.open(), budget.open()]
  expect(first.take(80)).toBeNull()
  const order: string[] = []
  const waiting = second.take(30)?.then(() => order.push('second'))
  const later = third.take(10)?.then(() => order.push('third'))
  expect(budget.usedBytes).toBe(80)
  first.release()
  await Promise.all([waiting, later])
  expect(order).toEqual(['second', 'third'])
  expect(budget.usedBytes).toBe(40)
})

it('forgets what a released share was waiting for', () => {
  const budget = bodyBudget(100)
  const [first, second] = [budget.open(), budget.open()]
  first.take(100)
  expect(second.take(50)).not.toBeNull()
  second.release()
  first.release()
  expect(budget.usedBytes).toBe(0)
})

it('lets one larger than the limit through when it is alone', () => {
  const budget = bodyBudget(100)
  const share = budget.open()
  expect(share.take(500)).toBeNull()
  share.release()
  expect(budget.usedBytes).toBe(0)
})
