import { expect, it, vi } from 'vitest'
import { batched } from './batched.ts'

const double = () => vi.fn(async (keys: readonly number[]) => keys.map((key) => 2 * key))

it('reads together what is asked for at the same moment, each once', async () => {
  const readAll = double()
  const read = batched(readAll)
  expect(await Promise.all([read(1), read(2), read(1)])).toEqual([2, 4, 2])
  expect(readAll.mock.calls).toEqual([[[1, 2]]])
})

it('reads again what is asked for later, also while it is being read', async () => {
  const readAll = double()
  const read = batched(readAll)
  const first = read(1)
  await Promise.resolve()
  expect(await Promise.all([first, read(1)])).toEqual([2, 2])
  expect(readAll).toHaveBeenCalledTimes(2)
})

it('fails for all that are read together, and for none afterwards', async () => {
  const readAll = double().mockRejectedValueOnce(new Error('the store is down'))
  const read = batched(readAll)
  const outcomes = await Promise.allSettled([read(1), read(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await read(1)).toBe(2)
})

it('reads the first at once and gathers those that follow soon', async () => {
  const readAll = double()
  const read = batched(readAll, { gatherMs: 20 })
  expect(await read(1)).toBe(2)
  const second = read(2)
  await Promise.resolve()
  expect(await Promise.all([second, read(3)])).toEqual([4, 6])
  expect(readAll.mock.calls).toEqual([[[1]], [[2, 3]]])
})

it('reads at once what is urgent, with those that wait', async () => {
  const readAll = double()
  const read = batched(readAll, { gatherMs: 3_600_000, isUrgent: (keys) => keys.includes(3) })
  expect(await read(1)).toBe(2)
  const second = read(2)
  expect(await Promise.all([second, read(3)])).toEqual([4, 6])
  expect(readAll.mock.calls).toEqual([[[1]], [[2, 3]]])
})
