import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../core/log.ts'
import { type Deliverable, deliverResults } from './deliver-results.ts'
import type { ServerClient } from './server-client.ts'

interface Result extends Deliverable {
  name: string
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function deliveryTo(batches: string[][]) {
  const client = {
    async call(_call: string, body: Buffer) {
      const { results } = JSON.parse(`${body}`) as { results: string[] }
      batches.push(results)
      return { serverTime: 0, answers: results.map(() => ({ accepted: true })) }
    },
  } as unknown as ServerClient
  return deliverResults<Result>({
    agentId: 'an agent',
    client,
    log: createLog('ERROR', () => undefined),
    report: () => undefined,
    signal: new AbortController().signal,
    read: async ({ name }) => Buffer.from(JSON.stringify(name)),
    onSettled: async () => undefined,
  })
}

function passed(name: string): Result {
  return { name, owner: 'an account', size: 100, canWait: true }
}

const failed = (name: string): Result => ({ ...passed(name), canWait: false })

describe('results that can wait', () => {
  it('are sent together, three seconds after the first one', async () => {
    const batches: string[][] = []
    const delivery = deliveryTo(batches)
    delivery.push([passed('first')])
    await vi.advanceTimersByTimeAsync(2_000)
    delivery.push([passed('second')])
    await vi.advanceTimersByTimeAsync(900)
    expect(batches).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(batches).toEqual([['first', 'second']])
  })

  it.each([
    ["one that can't wait", [failed('failed')]],
    ['a hundred', Array.from({ length: 100 }, (_, index) => passed(`${index}`))],
  ])('are sent at once with %s', async (_name, more) => {
    const batches: string[][] = []
    const delivery = deliveryTo(batches)
    delivery.push([passed('first')])
    delivery.push(more)
    await vi.advanceTimersByTimeAsync(10)
    expect(batches).toEqual([['first', ...more.map(({ name }) => name)]])
  })

  it('are sent when the agent drains', async () => {
    const batches: string[][] = []
    const delivery = deliveryTo(batches)
    delivery.push([passed('first')])
    delivery.hurry()
    await vi.advanceTimersByTimeAsync(10)
    expect(batches).toEqual([['first']])
  })
})
