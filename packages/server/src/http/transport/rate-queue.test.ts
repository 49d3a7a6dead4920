import type { RateLimit } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { RateQueue } from './rate-queue.ts'

/** A clock that the test moves. Whoever sleeps until then continues. */
class MovedClock {
  private at = 0
  private readonly sleepers = new Set<{ until: number; wake: () => void }>()

  now = () => this.at

  sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const sleeper = { until: this.at + ms, wake: resolve }
      this.sleepers.add(sleeper)
      signal.addEventListener('abort', () => {
        this.sleepers.delete(sleeper)
        resolve()
      })
    })

  get sleeping(): number {
    return this.sleepers.size
  }

  async moveTo(at: number): Promise<void> {
    this.at = at
    for (const sleeper of this.sleepers) {
      if (sleeper.until > at) continue
      this.sleepers.delete(sleeper)
      sleeper.wake()
    }
    await settle()
  }
}

/** Until all promises that can continue have. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function setUp(rule: RateLimit) {
  const clock = new MovedClock()
  const used = new Map<string, number>()
  const limiter = {
    take(bucket: string, { limit, seconds }: RateLimit) {
      const window = Math.floor(clock.now() / 1000 / seconds)
      const key = `${bucket} ${window}`
      const count = (used.get(key) ?? 0) + 1
      const resetSeconds = Math.ceil((window + 1) * seconds - clock.now() / 1000)
      if (count <= limit) used.set(key, count)
      return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetSeconds }
    },
  }
  const queue = new RateQueue(limiter, clock, clock.sleep)
  const outcomes: boolean[] = []
  const request = (bucket = 'a', signal = new AbortController().signal) =>
    void queue.take(bucket, rule, signal).then(({ allowed }) => outcomes.push(allowed))
  return { clock, request, outcomes }
}

describe('RateQueue', () => {
  it('lets requests through while there are some left', async () => {
    const { clock, request, outcomes } = setUp({ limit: 2, seconds: 10 })
    request()
    request()
    await settle()
    expect([outcomes, clock.sleeping]).toEqual([[true, true], 0])
  })

  it('holds those over the limit until the next window, and the rest until the one after', async () => {
    const { clock, request, outcomes } = setUp({ limit: 2, seconds: 10 })
    for (let index = 0; index < 5; index++) request()
    await settle()
    expect([outcomes.length, clock.sleeping]).toEqual([2, 3])
    await clock.moveTo(9_999)
    expect(outcomes).toHaveLength(2)
    await clock.moveTo(10_000)
    expect([outcomes.length, clock.sleeping]).toEqual([4, 1])
    await clock.moveTo(20_000)
    expect(outcomes).toEqual([true, true, true, true, true])
  })

  it('refuses what would wait longer than 30 seconds in all', async () => {
    const { clock, request, outcomes } = setUp({ limit: 1, seconds: 10 })
    for (let index = 0; index < 5; index++) request()
    await settle()
    for (const at of [10_000, 20_000, 30_000]) await clock.moveTo(at)
    expect(outcomes).toEqual([true, true, true, true, false])
    expect(clock.sleeping).toBe(0)
  })

  it('refuses at once where the window is too far away', async () => {
    const { clock, request, outcomes } = setUp({ limit: 1, seconds: 60 })
    request()
    request()
    await settle()
    expect([outcomes, clock.sleeping]).toEqual([[true, false], 0])
  })

  it('lets 50 requests of a key wait, and counts each key alone', async () => {
    const { clock, request, outcomes } = setUp({ limit: 1, seconds: 10 })
    for (let index = 0; index < 52; index++) request('a')
    request('b')
    request('b')
    await settle()
    expect(outcomes.filter((isAllowed) => !isAllowed)).toHaveLength(1)
    expect(clock.sleeping).toBe(51)
  })

  it('stops waiting for a client that disconnects, and gives its place to another', async () => {
    const { clock, request, outcomes } = setUp({ limit: 1, seconds: 10 })
    const gone = new AbortController()
    for (let index = 0; index < 51; index++) request('a', gone.signal)
    await settle()
    expect(clock.sleeping).toBe(50)
    gone.abort()
    await settle()
    expect([clock.sleeping, outcomes.filter((isAllowed) => !isAllowed).length]).toEqual([0, 50])
    request('a')
    await settle()
    expect(clock.sleeping).toBe(1)
    await clock.moveTo(10_000)
    expect(outcomes.at(-1)).toBe(true)
  })
})
