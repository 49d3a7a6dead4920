import { expect, it } from 'vitest'
import { openSemaphore } from './semaphore.ts'

it('grants as many permits as it has, and released ones in the order of waiting', async () => {
  const semaphore = openSemaphore(2, 60_000)
  const [first, second] = [await semaphore.acquire(), await semaphore.acquire()]
  const order: string[] = []
  const third = semaphore.acquire().then((release) => {
    order.push('third')
    return release
  })
  const fourth = semaphore.acquire().then((release) => {
    order.push('fourth')
    return release
  })
  first?.()
  first?.()
  const releaseThird = await third
  expect(order).toEqual(['third'])
  releaseThird?.()
  second?.()
  await fourth
  expect(order).toEqual(['third', 'fourth'])
  expect(await semaphore.acquire()).toBeTypeOf('function')
})

it('gives up a waiter after the longest wait, and serves those after it', async () => {
  const semaphore = openSemaphore(1, 20)
  const release = await semaphore.acquire()
  expect(await semaphore.acquire()).toBeNull()
  release?.()
  expect(await semaphore.acquire()).toBeTypeOf('function')
})
