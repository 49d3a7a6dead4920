import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announceEnd, SessionWatch } from './session-watch.ts'

let running: Set<string>
let asked: string[][]
let watch: SessionWatch
const nobodyLeaves = new AbortController().signal

beforeEach(() => {
  vi.useFakeTimers()
  running = new Set(['a', 'b'])
  asked = []
  watch = new SessionWatch(async (ids) => {
    asked.push(ids)
    return new Set(ids.filter((id) => running.has(id)))
  })
})
afterEach(() => vi.useRealTimers())

describe('who waits for a session', () => {
  it('is told within half a second that it is over', async () => {
    const wait = watch.wait('a', 30_000, nobodyLeaves)
    await vi.advanceTimersByTimeAsync(5_000)
    running.delete('a')
    await vi.advanceTimersByTimeAsync(500)
    expect(await wait).toBe(true)
  })

  it('is told at once when it ends in this process', async () => {
    const wait = watch.wait('a', 30_000, nobodyLeaves)
    await vi.advanceTimersByTimeAsync(5_000)
    const before = asked.length
    announceEnd('a')
    running.delete('a')
    await vi.advanceTimersByTimeAsync(20)
    expect(await wait).toBe(true)
    expect(asked.length).toBe(before + 1)
  })

  it('is told a little later when the end is announced before its transaction commits', async () => {
    const wait = watch.wait('a', 30_000, nobodyLeaves)
    await vi.advanceTimersByTimeAsync(5_000)
    announceEnd('a')
    await vi.advanceTimersByTimeAsync(30)
    running.delete('a')
    await vi.advanceTimersByTimeAsync(40)
    expect(await wait).toBe(true)
  })

  it('waits no longer than it said', async () => {
    const wait = watch.wait('a', 1_000, nobodyLeaves)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await wait).toBe(false)
  })

  it('stops when it hangs up', async () => {
    const caller = new AbortController()
    const wait = watch.wait('a', 30_000, caller.signal)
    await vi.advanceTimersByTimeAsync(100)
    caller.abort()
    expect(await wait).toBe(false)
    const before = asked.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked.length).toBe(before)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shares one question with all others', async () => {
    const waits = [
      watch.wait('a', 30_000, nobodyLeaves),
      watch.wait('a', 30_000, nobodyLeaves),
      watch.wait('b', 30_000, nobodyLeaves),
    ]
    await vi.advanceTimersByTimeAsync(20)
    expect(asked).toEqual([['a', 'b']])
    running.clear()
    await vi.advanceTimersByTimeAsync(500)
    expect(await Promise.all(waits)).toEqual([true, true, true])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('asks rarely while nothing happens', async () => {
    const wait = watch.wait('a', 30_000, nobodyLeaves)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await wait).toBe(false)
    expect(asked.length).toBeLessThan(70)
  })

  it('hears of it when the store is away', async () => {
    const away = new SessionWatch(async () => {
      throw new Error('away')
    })
    const wait = away.wait('a', 30_000, nobodyLeaves)
    const failed = expect(wait).rejects.toThrow('away')
    await vi.advanceTimersByTimeAsync(20)
    await failed
    expect(vi.getTimerCount()).toBe(0)
  })
})
