import { expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

function queueOf(...entries: [string, string][]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const [owner, entry] of entries) queue.push(owner, entry)
  return queue
}

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = []
  for (let entry = queue.take(); entry !== undefined; entry = queue.take()) taken.push(entry)
  return taken
}

it('serves its owners in turn, and each in order', () => {
  const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['c', 'c2'])
  expect(queue.size).toBe(6)
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  expect(queue.size).toBe(0)
})

it('passes over an owner whose first entry is not acceptable', () => {
  const queue = queueOf(['a', 'large'], ['a', 'small'], ['b', 'small too'])
  expect(queue.take((entry) => entry !== 'large')).toBe('small too')
  expect(queue.take((entry) => entry !== 'large')).toBeUndefined()
  expect(drain(queue)).toEqual(['large', 'small'])
})

it('removes entries', () => {
  const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['b', 'b1'])
  queue.remove('a', (entry) => entry === 'a1')
  queue.remove('b', () => true)
  queue.remove('unknown', () => true)
  expect(drain(queue)).toEqual(['a2'])
})
