import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-16T12:00:00Z')

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  await api.alice.post('/v1/status-pages', { name: 'Acme', url: 'shop', cards: [] })
  await api.alice.post('/v1/status-pages', { name: 'Other', url: 'other', cards: [] })
  await api.alice.post('/v1/dashboards', { header: 'Wall', customUrl: 'wall' })
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => api.close())

/** All queries fail, or wait until the store continues. */
function stopStore(isHanging = false): { resume(): Promise<void> } {
  const failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const waiting: (() => void)[] = []
  const connect = () =>
    new Promise<never>((_, reject) => {
      if (isHanging) waiting.push(() => reject(failure))
      else reject(failure)
    })
  vi.spyOn(api.store.pool, 'connect').mockImplementation(connect)
  vi.spyOn(api.store.pool, 'query').mockImplementation(connect)
  return {
    async resume() {
      for (const fail of waiting) fail()
      await new Promise(setImmediate)
      vi.restoreAllMocks()
    },
  }
}

const get = (path: string, method = 'GET') =>
  api.nobody.send(method, path, undefined, { accept: 'text/html' })

describe('while the store is down', () => {
  it.each([
    ['refuses connections', false],
    ['hangs', true],
  ])('a page seen before is served, with its age after a minute, if it %s', async (_, isHanging) => {
    for (const path of ['/s/shop', '/d/wall']) expect((await get(path)).status).toBe(200)
    const store = stopStore(isHanging)
    for (const path of ['/s/shop', '/d/wall']) {
      now += 30_000
      const soon = await get(path)
      expect(soon.status).toBe(200)
      expect(soon.text).not.toContain('Newer data isn’t available')
    }
    now += 40_000
    for (const path of ['/s/shop', '/d/wall']) {
      const { status, text } = await get(path)
      expect(status).toBe(200)
      expect(text).toContain('This page shows the state of Nov 16, 2026')
    }
    await store.resume()
    now += 60_000
    expect((await get('/s/shop')).text).not.toContain('Newer data isn’t available')
  })

  it.each([
    ['refuses connections', false],
    ['hangs', true],
  ])('503: a page never seen reloads itself, if it %s', async (_, isHanging) => {
    now += 3_600_000
    const store = stopStore(isHanging)
    for (const path of ['/s/other', '/d/other']) {
      const { status, text, headers } = await get(path)
      expect(status).toBe(503)
      expect(text).toContain('<meta http-equiv="refresh" content="10">')
      expect(text).toContain('This page isn’t available at the moment')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('retry-after')).toBe('10')
    }
    await store.resume()
  })

  it('503: in the language of the visitor', async () => {
    stopStore()
    const { text } = await api.nobody.send('GET', '/s/german', undefined, { 'accept-language': 'de' })
    expect(text).toContain('<html lang="de">')
    expect(text).toContain('Diese Seite ist gerade nicht verfügbar')
  })
})

describe('HEAD', () => {
  it.each(['/s/shop', '/d/wall', '/s/shop/feed.rss'])(
    '%s has the headers of GET and no content',
    async (path) => {
      const [head, whole] = [await get(path, 'HEAD'), await get(path)]
      expect(head.status).toBe(200)
      expect(head.text).toBe('')
      for (const name of ['etag', 'content-type', 'content-security-policy', 'cache-control'])
        expect(head.headers.get(name)).toBe(whole.headers.get(name))
    },
  )
})
