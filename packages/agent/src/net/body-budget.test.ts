import { expect, it } from 'vitest'
import { bodyBudget } from './body-budget.ts'

const classes = [
  { upToBytes: 100, share: 0.5 },
  { upToBytes: 1_000, share: 0.5 },
]
const budget = () => bodyBudget(4_000, classes)

it('reserves a whole size class at once, and asks for more only beyond it', () => {
  const memory = budget()
  const share = memory.open('a')
  expect(share.reserve(10, 5_000)).toEqual({ bytes: 100, wait: null })
  expect(share.reserve(90, 5_000)).toEqual({ bytes: 100, wait: null })
  expect(memory.usedBytes).toBe(100)
  expect(share.reserve(101, 5_000)).toEqual({ bytes: 1_000, wait: null })
  expect(memory.usedBytes).toBe(1_000)
  share.release()
  expect(memory.usedBytes).toBe(0)
})

it('reserves no more than the declared length of a response', () => {
  const share = budget().open('a')
  expect(share.reserve(10, 40).bytes).toBe(40)
  expect(share.reserve(150, 200).bytes).toBe(200)
})

it('lets those that wait take turns by account, in order within an account', async () => {
  const memory = bodyBudget(2_000, [{ upToBytes: 1_000, share: 1 }])
  const held = [memory.open('c'), memory.open('d')]
  for (const share of held) expect(share.reserve(1, 1_000).wait).toBeNull()
  const order: string[] = []
  const ask = (owner: string, name: string) => {
    const share = memory.open(owner)
    return share.reserve(1, 1_000).wait?.then(() => {
      order.push(name)
      share.release()
    })
  }
  const all = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1')]
  held[0]?.release()
  await Promise.all(all)
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3'])
})

it('leaves memory for one body to other accounts', () => {
  const memory = bodyBudget(3_000, [{ upToBytes: 1_000, share: 1 }])
  const waitOf = (owner: string) => memory.open(owner).reserve(1, 1_000).wait
  expect([waitOf('a'), waitOf('a')]).toEqual([null, null])
  expect(waitOf('a')).not.toBeNull()
  expect(waitOf('b')).toBeNull()
})

it('never lets bodies wait for each other: one that has memory of the largest class needs no more', () => {
  const memory = bodyBudget(4_000, classes)
  const shares = Array.from({ length: 30 }, (_, index) => memory.open(`account ${index}`))
  const waiting = shares.filter((share) => share.reserve(1_000, 1_000).wait !== null)
  expect(shares.length - waiting.length).toBe(2)
  for (const share of shares.filter((share) => !waiting.includes(share))) {
    expect(share.reserve(1_000, 1_000).wait).toBeNull()
  }
})

it('forgets what a released share was waiting for', () => {
  const memory = bodyBudget(1_000, [{ upToBytes: 1_000, share: 1 }])
  const [first, second] = [memory.open('a'), memory.open('b')]
  first.reserve(1, 1_000)
  expect(second.reserve(1, 1_000).wait).not.toBeNull()
  second.release()
  first.release()
  expect(memory.usedBytes).toBe(0)
})

it('lets one larger than the limit through when it is alone', () => {
  const memory = bodyBudget(100, [{ upToBytes: 1_000, share: 1 }])
  const share = memory.open('a')
  expect(share.reserve(500, 1_000)).toEqual({ bytes: 1_000, wait: null })
  share.release()
  expect(memory.usedBytes).toBe(0)
})
