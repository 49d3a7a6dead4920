import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { announceEnd, SessionWatch } from './session-watch.ts'

let running: Set<string>
let queries: string[][]
let watch: SessionWatch
const neverAborted = new AbortController().signal

beforeEach(() => {
  vi.useFakeTimers()
  running = new Set(['a', 'b'])
  queries = []
  watch = new SessionWatch(async (ids) => {
    queries.push(ids)
    return new Set(ids.filter((id) => running.has(id)))
  })
})
afterEach(() => vi.useRealTimers())

describe('waiting for a session', () => {
  it('resolves within half a second of its end', async () => {
    const wait = watch.wait('a', 30_000, neverAborted)
    await vi.advanceTimersByTimeAsync(5_000)
    running.delete('a')
    await vi.advanceTimersByTimeAsync(500)
    expect(await wait).toBe(true)
  })

  it('resolves at once if it ends in this process', async () => {
    const wait = watch.wait('a', 30_000, neverAborted)
    await vi.advanceTimersByTimeAsync(5_000)
    const before = queries.length
    announceEnd('a')
    running.delete('a')
    await vi.advanceTimersByTimeAsync(20)
    expect(await wait).toBe(true)
    expect(queries.length).toBe(before + 1)
  })

  it('resolves soon after the commit if the end was announced before', async () => {
    const wait = watch.wait('a', 30_000, neverAborted)
    await vi.advanceTimersByTimeAsync(5_000)
    announceEnd('a')
    await vi.advanceTimersByTimeAsync(30)
    running.delete('a')
    await vi.advanceTimersByTimeAsync(40)
    expect(await wait).toBe(true)
  })

  it('stops after maxWaitMs', async () => {
    const wait = watch.wait('a', 1_000, neverAborted)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await wait).toBe(false)
  })

  it('stops when its signal aborts', async () => {
    const caller = new AbortController()
    const wait = watch.wait('a', 30_000, caller.signal)
    await vi.advanceTimersByTimeAsync(100)
    caller.abort()
    expect(await wait).toBe(false)
    const before = queries.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(queries.length).toBe(before)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shares one query with all other waiters', async () => {
    const waits = [
      watch.wait('a', 30_000, neverAborted),
      watch.wait('a', 30_000, neverAborted),
      watch.wait('b', 30_000, neverAborted),
    ]
    await vi.advanceTimersByTimeAsync(20)
    expect(queries).toEqual([['a', 'b']])
    running.clear()
    await vi.advanceTimersByTimeAsync(500)
    expect(await Promise.all(waits)).toEqual([true, true, true])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('queries rarely while nothing changes', async () => {
    const wait = watch.wait('a', 30_000, neverAborted)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await wait).toBe(false)
    expect(queries.length).toBeLessThan(70)
  })

  it('rejects if the query fails', async () => {
    const away = new SessionWatch(async () => {
      throw new Error('away')
    })
    const wait = away.wait('a', 30_000, neverAborted)
    const failed = expect(wait).rejects.toThrow('away')
    await vi.advanceTimersByTimeAsync(20)
    await failed
    expect(vi.getTimerCount()).toBe(0)
  })
})
