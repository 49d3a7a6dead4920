import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
let now: number
let count = 0

beforeAll(async () => {
  now = Date.now()
  api = await startTestApi({ RATE_LIMIT_FACTOR: '1' }, { now: () => now })
})
afterAll(() => api.close())

interface PrivatePage {
  path: string
  key: string
  secret: string
  /** Replaces or deletes its keys. */
  revoke(): Promise<unknown>
}

const kinds: Record<string, () => Promise<PrivatePage>> = {
  'status page': async () => {
    const url = `private-${++count}`
    const page = { name: 'Acme', url, cards: [{ name: 'Secret card', services: [] }] }
    const { body } = await api.alice.post('/v1/status-pages', { ...page, isPrivate: true })
    const path = `/v1/status-pages/${body.id}`
    const revoke = async () => {
      await api.alice.put(path, { ...page, isPrivate: false })
      await api.alice.put(path, { ...page, isPrivate: true })
    }
    return { path: `/s/${url}`, key: body.keys[0].rawKey, secret: 'Secret card', revoke }
  },
  dashboard: async () => {
    const customUrl = `private-${++count}`
    const settings = { header: 'Acme', customUrl, description: 'Secret words', isPrivate: true }
    const { body } = await api.alice.post('/v1/dashboards', settings)
    const revoke = () => api.alice.delete(`/v1/dashboards/${body.dashboardId}/keys/${body.keys[0].id}`)
    return { path: `/d/${customUrl}`, key: body.keys[0].rawKey, secret: 'Secret words', revoke }
  },
}

function get(path: string, headers: Record<string, string> = {}) {
  now += 10_000
  return api.nobody.send('GET', path, undefined, headers)
}

const sendKey = (path: string, key: string) =>
  fetch(`${api.url}${path}/unlock`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key }),
  })

describe.each(Object.entries(kinds))('a private %s', (_kind, create) => {
  it('asks for its key, and shows nothing before', async () => {
    const { path, secret } = await create()
    const { status, text, headers } = await get(path)
    expect(status).toBe(401)
    expect(text).toContain(`action="${path}/unlock?lang=en"`)
    expect(text).not.toContain(secret)
    expect(headers.get('cache-control')).toBe('no-store')
    for (const part of ['/feed.rss', '/history', '/incidents']) {
      expect([401, 404], part).toContain((await get(`${path}${part}`)).status)
    }
  })

  it('asks in German', async () => {
    const { path } = await create()
    const { text } = await get(`${path}?lang=de`)
    expect(text).toContain('Diese Seite ist privat.')
    expect(text).toContain(`action="${path}/unlock?lang=de"`)
  })

  it('opens with its key, for this page only, until the key is revoked', async () => {
    const { path, key, secret, revoke } = await create()
    const unlocked = await sendKey(path, key)
    expect([unlocked.status, unlocked.headers.get('location')]).toEqual([303, path])
    const cookie = unlocked.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(new RegExp(`; Path=${path}; Max-Age=2592000; HttpOnly; SameSite=Lax$`))
    const sent = { cookie: cookie.split(';')[0] ?? '' }
    const page = await get(path, sent)
    expect(page.status).toBe(200)
    expect(page.text).toContain(secret)
    expect(page.headers.get('cache-control')).toBe('private, no-store')
    expect(page.headers.get('x-robots-tag')).toContain('noindex')
    const other = await create()
    expect((await get(other.path, sent)).status).toBe(401)
    expect((await get(path, { cookie: `${sent.cookie}x` })).status).toBe(401)
    await revoke()
    expect((await get(path, sent)).status).toBe(401)
  })

  it('opens to readers that send the key as a password', async () => {
    const { path, key } = await create()
    const authorization = `Basic ${Buffer.from(`anyone:${key}`).toString('base64')}`
    expect((await get(path, { authorization })).status).toBe(200)
    const wrong = `Basic ${Buffer.from('anyone:vp_wrong').toString('base64')}`
    expect((await get(path, { authorization: wrong })).status).toBe(401)
  })

  it('refuses other keys, and limits guesses', async () => {
    const { path } = await create()
    const other = await create()
    const refused = await sendKey(path, other.key)
    expect(refused.status).toBe(401)
    expect(await refused.text()).toContain('isn’t a key of this page')
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await sendKey(path, 'x')).status),
    )
    expect(statuses).toContain(429)
  })

  it('ends the session after 30 days', async () => {
    const { path, key } = await create()
    const cookie = ((await sendKey(path, key)).headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    now += 31 * 86_400_000
    expect((await get(path, { cookie })).status).toBe(401)
  })
})

describe('without its key, no address of a private page shows anything', () => {
  it('of a status page', async () => {
    const service = (await api.alice.post('/v1/status-pages/services', { name: 'Secret service' })).body
    const services = [{ id: service.id }]
    const page = { name: 'Acme', url: 'guarded', isPrivate: true, cards: [{ name: 'Secret card', services }] }
    await api.alice.post('/v1/status-pages', page)
    const incident = await api.alice.post('/v1/status-pages/incidents', {
      ...{ name: 'Secret incident', severity: 'MAJOR', services },
      incidentUpdates: [{ description: 'Secret words' }],
    })
    await expectNothing('/s/:slug', {
      slug: ['guarded'],
      incidentId: [incident.body.id],
      kind: ['rss', 'atom', 'json'],
      serviceId: [service.id],
    })
  })

  it('of a dashboard', async () => {
    const check = await api.alice.post('/v1/checks/url', {
      ...{ name: 'Secret check', locations: ['eu-west-1'], request: { url: 'https://example.com' } },
    })
    const settings = { header: 'Acme', customUrl: 'guarded', description: 'Secret words', isPrivate: true }
    await api.alice.post('/v1/dashboards', { ...settings, enableIncidents: true })
    await expectNothing('/d/:name', { name: ['guarded'], checkId: [check.body.id] })
  })
})

/** Every address below a prefix, with all values of its parameters; those that aren't given don't matter. */
async function expectNothing(prefix: string, values: Record<string, string[]>): Promise<void> {
  const routes = [...new Set(api.paths)].filter((path) => path === prefix || path.startsWith(`${prefix}/`))
  expect(routes.length).toBeGreaterThan(2)
  for (const route of routes) {
    for (const path of addressesOf(route, values)) {
      for (const query of ['', `?at=${new Date(now - 60_000).toISOString()}`, '?lang=de&theme=dark']) {
        const { status, text, headers } = await get(path + query)
        expect(status, path + query).toBeGreaterThanOrEqual(400)
        expect(text, path + query).not.toContain('Secret')
        expect(headers.get('etag'), path + query).toBeNull()
      }
    }
  }
}

function addressesOf(route: string, values: Record<string, string[]>): string[] {
  const name = /:(\w+)/.exec(route)?.[1]
  if (name === undefined) return [route]
  return (values[name] ?? ['x']).flatMap((value) => addressesOf(route.replace(`:${name}`, value), values))
}
