import { beforeEach, describe, expect, it, vi } from 'vitest'
import { PageCache } from './page-cache.ts'

let now: number
let cache: PageCache<number>
beforeEach(() => {
  now = 1_000_000
  cache = new PageCache({ now: () => now })
})

const failing = () => Promise.reject(new Error('The database is away'))

describe('the cache of pages', () => {
  it('computes a page once for all visitors, and again after five seconds', async () => {
    const compute = vi.fn(async () => 1)
    await Promise.all([cache.get('a', compute), cache.get('a', compute), cache.get('a', compute)])
    now += 4_000
    await cache.get('a', compute)
    expect(compute).toHaveBeenCalledTimes(1)
    now += 2_000
    await Promise.all([cache.get('a', compute), cache.get('a', compute)])
    expect(compute).toHaveBeenCalledTimes(2)
  })

  it('keeps the pages apart', async () => {
    expect((await cache.get('a', async () => 1)).value).toBe(1)
    expect((await cache.get('b', async () => 2)).value).toBe(2)
  })

  it('serves the last content with its time when newer content cannot be read', async () => {
    await cache.get('a', async () => 1)
    now += 100_000
    expect(await cache.get('a', failing)).toMatchObject({ value: 1, at: 1_000_000 })
    const compute = vi.fn(failing)
    await cache.get('a', compute)
    expect(compute).not.toHaveBeenCalled()
    now += 1_000
    expect((await cache.get('a', async () => 2)).value).toBe(2)
  })

  it('serves the last content when newer content takes long, and the newer one later', async () => {
    vi.useFakeTimers()
    try {
      await cache.get('a', async () => 1)
      now += 10_000
      let finish = (_: number) => {}
      const slow = cache.get('a', () => new Promise((resolve) => (finish = resolve)))
      await vi.advanceTimersByTimeAsync(1_500)
      expect((await slow).value).toBe(1)
      // Later visitors don't wait.
      expect((await cache.get('a', failing)).value).toBe(1)
      finish(2)
      await vi.advanceTimersByTimeAsync(0)
      expect((await cache.get('a', failing)).value).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('fails if there is no content yet, and tries again', async () => {
    await expect(cache.get('a', failing)).rejects.toThrow('The database is away')
    expect((await cache.get('a', async () => 1)).value).toBe(1)
  })

  it('fails soon if there is no content yet and the store takes long', async () => {
    vi.useFakeTimers()
    try {
      let finish = (_: number) => {}
      const slow = cache.get('a', () => new Promise((resolve) => (finish = resolve)))
      const refused = expect(slow).rejects.toMatchObject({ status: 503 })
      await vi.advanceTimersByTimeAsync(3_000)
      await refused
      finish(1)
      await vi.advanceTimersByTimeAsync(0)
      expect((await cache.get('a', failing)).value).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('begins anew if a computation never ends', async () => {
    vi.useFakeTimers()
    try {
      await cache.get('a', async () => 1)
      now += 10_000
      void cache.get('a', () => new Promise(() => {}))
      await vi.advanceTimersByTimeAsync(29_000)
      expect((await cache.get('a', async () => 2)).value).toBe(1)
      await vi.advanceTimersByTimeAsync(2_000)
      expect((await cache.get('a', async () => 2)).value).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps pages, however many names without a page are requested', async () => {
    await cache.get('a', async () => 1)
    for (let index = 0; index < 2_000; index++) await cache.get(`guess ${index}`, async () => null)
    const compute = vi.fn(async () => null)
    await cache.get('guess 1999', compute)
    expect(compute).not.toHaveBeenCalled()
    now += 10_000
    expect((await cache.get('a', failing)).value).toBe(1)
  })

  it('follows a page that is deleted and created again', async () => {
    for (const value of [1, null, 2]) {
      expect((await cache.get('a', async () => value)).value).toBe(value)
      now += 6_000
    }
  })
})
