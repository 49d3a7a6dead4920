import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expireHeartbeats } from '../../ingest/heartbeat.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2026, 10, 15, 8)

let now = start
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const heartbeat = { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' }

async function createMonitor(settings: object = {}): Promise<{ id: string; path: string; events: string }> {
  const { status, body } = await api.alice.post('/v1/checks/heartbeat', {
    name: 'backup',
    heartbeat,
    ...settings,
  })
  expect(status).toBe(201)
  return {
    id: body.id,
    path: new URL(body.heartbeat.pingUrl).pathname,
    events: `/v1/checks/heartbeats/${body.id}/events`,
  }
}

const latest = async (events: string) => (await api.alice.get(events)).body[0].events[0]

describe('/ping/{token}', () => {
  it.each(['GET', 'POST'])(
    '200: takes %s without a key, and tells nothing of the account',
    async (method) => {
      const { path, events } = await createMonitor()
      const response = await fetch(api.url + path, { method, headers: { 'user-agent': 'curl/8.14.1' } })
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.json()).toEqual({ accepted: true, message: 'OK' })
      expect(await latest(events)).toEqual({
        id: expect.any(String),
        state: 'RECEIVED',
        timestamp: new Date(now).toISOString(),
        source: `HTTP ${method} from curl`,
        userAgent: 'curl/8.14.1',
      })
    },
  )

  it('200: accepts HEAD, and responds without a body', async () => {
    const { path, events } = await createMonitor()
    const response = await fetch(api.url + path, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    expect((await latest(events)).source).toMatch(/^HTTP HEAD/)
  })

  it.each([
    ['text', 'exit code 0', { 'content-type': 'text/plain' }],
    ['broken JSON', '{', { 'content-type': 'application/json' }],
    ['an unknown encoding', 'x', { 'content-encoding': 'zstd' }],
    ['a very long one', 'x'.repeat(1_000_000), { 'content-type': 'application/octet-stream' }],
  ])('200: with any body: %s', async (_name, body, headers) => {
    const { path, events } = await createMonitor()
    const response = await fetch(api.url + path, { method: 'POST', body, headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe(body.length > 65_536 ? 'close' : 'keep-alive')
    expect((await latest(events)).state).toBe('RECEIVED')
  })

  it('200: names the page that pinged', async () => {
    const { path, events } = await createMonitor()
    await fetch(api.url + path, { headers: { origin: 'https://shop.example.com' } })
    expect((await latest(events)).source).toBe('https://shop.example.com')
  })

  it('200: reports that the ping of an inactive monitor is ignored', async () => {
    const { path, events } = await createMonitor({ activated: false })
    const { status, body } = await api.nobody.get(path)
    expect(status).toBe(200)
    expect(body).toEqual({ accepted: false, message: 'Ignored: this monitor is not active.' })
    expect((await api.alice.get(events)).body[0].events).toEqual([])
  })

  it('404: an unknown token, a malformed one, that of a deleted monitor', async () => {
    const { id, path } = await createMonitor()
    expect((await api.alice.delete(`/v1/checks/${id}`)).status).toBe(204)
    for (const unknown of [path, `/ping/${randomUUID()}`, '/ping/nothing']) {
      expect((await api.nobody.get(unknown)).status).toBe(404)
      expect((await api.nobody.post(unknown)).status).toBe(404)
    }
  })

  it('405: other methods', async () => {
    const { path } = await createMonitor()
    const { status, headers } = await api.nobody.put(path, {})
    expect(status).toBe(405)
    expect(headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
  })

  it('204: lets a browser ask whether it may, and nothing else', async () => {
    const { path, events } = await createMonitor()
    const response = await fetch(api.url + path, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')?.split(', ').sort()).toEqual([
      'GET',
      'HEAD',
      'POST',
    ])
    expect((await api.alice.get(events)).body[0].events).toEqual([])
    expect((await fetch(`${api.url}/v1/snippets`, { method: 'OPTIONS' })).status).toBe(405)
  })

  it('429: more pings of one monitor than any job needs, while others are not disturbed', async () => {
    const limited = await startTestApi({ RATE_LIMIT_FACTOR: '0.05' }, { now: () => now })
    try {
      const [first, second] = await Promise.all(
        ['a', 'b'].map(async (name) => {
          const { body } = await limited.alice.post('/v1/checks/heartbeat', { name, heartbeat })
          return new URL(body.heartbeat.pingUrl).pathname
        }),
      )
      for (let turn = 0; turn < 6; turn++)
        expect((await limited.nobody.get(first as string)).status).toBe(200)
      const refused = await limited.nobody.get(first as string)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await limited.nobody.get(second as string)).status).toBe(200)
    } finally {
      await limited.close()
    }
  })

  it('429: guessing tokens, by address', async () => {
    const limited = await startTestApi({ RATE_LIMIT_PUBLIC_PER_MINUTE: '3' }, { now: () => now })
    try {
      const statuses: number[] = []
      for (let turn = 0; turn < 4; turn++)
        statuses.push((await limited.nobody.get(`/ping/${randomUUID()}`)).status)
      expect(statuses).toEqual([404, 404, 404, 429])
    } finally {
      await limited.close()
    }
  })
})

/** Pings at 0 and 60 minutes, then a failure at 130 minutes. */
async function withHistory() {
  now = start
  const monitor = await createMonitor()
  await api.nobody.get(monitor.path)
  now = start + hour
  await api.nobody.get(monitor.path)
  now = start + hour + 70 * minute
  while ((await expireHeartbeats(api.store.pool, { now, isAlerting: true }, 100)) > 0);
  return monitor
}

describe('GET /v1/checks/heartbeats/{checkId}/availability', () => {
  it('200: the last 24 hours and those before', async () => {
    const { id } = await withHistory()
    now += minute
    const { status, body } = await api.alice.get(`/v1/checks/heartbeats/${id}/availability`)
    expect(status).toBe(200)
    expect(body).toEqual({
      successRatio: { currentPeriod: 66.6667 },
      totalEntitiesCurrentPeriod: 3,
    })
  })

  it('200: a chosen period, as ISO date, seconds or milliseconds, and the one before it', async () => {
    const { id } = await withHistory()
    const [from, to] = [start + 2 * hour, start + 4 * hour]
    const forms = [(at: number) => new Date(at).toISOString(), (at: number) => at / 1000, (at: number) => at]
    for (const form of forms) {
      const query = `startTime=${form(from)}&endTime=${form(to)}`
      const { body } = await api.alice.get(`/v1/checks/heartbeats/${id}/availability?${query}`)
      expect(body).toEqual({
        successRatio: { previousPeriod: 100, currentPeriod: 0 },
        totalEntitiesCurrentPeriod: 1,
      })
    }
  })

  it('400: an end before its start, and invalid instants', async () => {
    const { id } = await createMonitor()
    for (const query of ['startTime=2026-11-16&endTime=2026-11-15', 'startTime=yesterday']) {
      const { status, body } = await api.alice.get(`/v1/checks/heartbeats/${id}/availability?${query}`)
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual(['startTime'])
    }
  })
})

describe('GET /v1/checks/heartbeats/{checkId}/events', () => {
  it('200: the latest first, with what they amount to', async () => {
    const { events } = await withHistory()
    const { status, body } = await api.alice.get(events)
    expect(status).toBe(200)
    expect(body).toHaveLength(1)
    expect(body[0].events.map((event: { state: string }) => event.state)).toEqual([
      'FAILING',
      'RECEIVED',
      'RECEIVED',
    ])
    expect(body[0].events[0]).toMatchObject({ source: null, userAgent: null })
    const amount = {
      successRatio: { currentPeriod: 66.6667 },
      totalEntitiesCurrentPeriod: 3,
    }
    expect(body[0].stats).toEqual({ last24Hours: amount, last7Days: amount })
    now += 2 * day
    const later = (await api.alice.get(events)).body[0].stats
    expect(later.last24Hours.totalEntitiesCurrentPeriod).toBe(0)
    expect(later.last7Days).toEqual(amount)
  })

  it('200: at most as many as asked for, of the period asked for', async () => {
    const { events } = await withHistory()
    expect((await api.alice.get(`${events}?limit=2`)).body[0].events).toHaveLength(2)
    const period = `startTime=${start + 1}&endTime=${start + 2 * hour}`
    const chosen = (await api.alice.get(`${events}?${period}`)).body[0].events
    expect(chosen.map((event: { timestamp: string }) => Date.parse(event.timestamp))).toEqual([start + hour])
  })

  it('400: more than ten', async () => {
    const { events } = await createMonitor()
    expect((await api.alice.get(`${events}?limit=11`)).status).toBe(400)
  })
})

describe('GET /v1/checks/heartbeats/{checkId}/events/{id}', () => {
  it('200: the event and what all amount to', async () => {
    const { events } = await withHistory()
    const [{ events: listed, stats }] = (await api.alice.get(events)).body
    const { status, body } = await api.alice.get(`${events}/${listed[0].id}`)
    expect(status).toBe(200)
    expect(body).toEqual({ event: listed[0], stats })
  })

  it('404: an event of another monitor, and an unknown event', async () => {
    const [one, other] = [await withHistory(), await createMonitor()]
    const { id } = await latest(one.events)
    expect((await api.alice.get(`${other.events}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${one.events}/${randomUUID()}`)).status).toBe(404)
  })
})

describe('404: of another account, of another type, unknown', () => {
  it.each(['availability', 'events', `events/${randomUUID()}`])('%s', async (what) => {
    const { id } = await createMonitor()
    expect((await api.bob.get(`/v1/checks/heartbeats/${id}/${what}`)).status).toBe(404)
    const { body } = await api.alice.post('/v1/checks/tcp', {
      locations: ['eu-west-1'],
      name: 'tcp',
      request: { hostname: 'example.com', port: 443 },
    })
    expect((await api.alice.get(`/v1/checks/heartbeats/${body.id}/${what}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/checks/heartbeats/${randomUUID()}/${what}`)).status).toBe(404)
  })
})
