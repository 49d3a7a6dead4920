import { expect, it } from 'vitest'
import { openLanes } from './lanes.ts'

it('lets so many in at once, and the next as one leaves, in order', async () => {
  const lanes = openLanes(2, 60_000)
  const [first, second] = [await lanes.enter(), await lanes.enter()]
  const order: string[] = []
  const third = lanes.enter().then((leave) => {
    order.push('third')
    return leave
  })
  const fourth = lanes.enter().then((leave) => {
    order.push('fourth')
    return leave
  })
  first?.()
  first?.()
  const leaveThird = await third
  expect(order).toEqual(['third'])
  leaveThird?.()
  second?.()
  await fourth
  expect(order).toEqual(['third', 'fourth'])
  expect(await lanes.enter()).toBeTypeOf('function')
})

it('sends away who waited too long, and serves those after them', async () => {
  const lanes = openLanes(1, 20)
  const leave = await lanes.enter()
  expect(await lanes.enter()).toBeNull()
  leave?.()
  expect(await lanes.enter()).toBeTypeOf('function')
})
