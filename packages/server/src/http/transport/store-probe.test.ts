import { afterEach, expect, it, vi } from 'vitest'
import { startTestApi } from '../../testing/api.ts'
import { probeStore } from './store-probe.ts'

afterEach(() => vi.restoreAllMocks())

it('reports the last probe, and false while one takes too long or after the stop', async () => {
  let now = 0
  let response = Promise.withResolvers<boolean>()
  const probe = probeStore(
    () => response.promise,
    () => now,
  )
  expect(probe.isReachable()).toBe(true)
  now = 9_999
  expect(probe.isReachable()).toBe(true)
  now = 10_001
  expect(probe.isReachable()).toBe(false)
  response.resolve(true)
  response = Promise.withResolvers<boolean>()
  await expect.poll(() => probe.isReachable()).toBe(false)
  now = 11_000
  response.resolve(true)
  await expect.poll(() => probe.isReachable()).toBe(true)
  probe.stop()
  expect(probe.isReachable()).toBe(false)
})

it('serves health and readiness while the database hangs, with a key or without, however often', async () => {
  const api = await startTestApi({ RATE_LIMIT_PUBLIC_PER_MINUTE: '3' })
  try {
    const hanging = new Promise<never>(() => undefined)
    const query = vi.spyOn(api.store.pool, 'query').mockImplementation((() => hanging) as never)
    await expect.poll(() => query.mock.calls.length).toBeGreaterThan(0)
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 11_000)
    for (const caller of [api.alice, api.nobody, api.alice, api.nobody, api.nobody, api.nobody])
      expect((await caller.get('/healthz')).status).toBe(200)
    await expect.poll(async () => (await api.alice.get('/readyz')).status).toBe(503)
    clock.mockRestore()
    query.mockRestore()
  } finally {
    await api.close()
  }
})

it('serves requests before it stops, closes their connections, and is not ready', async () => {
  const api = await startTestApi()
  try {
    const before = await fetch(`${api.url}/healthz`)
    expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive'])
    api.probe.stop()
    const [health, ready] = [await fetch(`${api.url}/healthz`), await fetch(`${api.url}/readyz`)]
    expect([health.status, health.headers.get('connection')]).toEqual([200, 'close'])
    expect([ready.status, await ready.json()]).toMatchObject([503, { message: 'The server is stopping.' }])
  } finally {
    await api.close()
  }
})
