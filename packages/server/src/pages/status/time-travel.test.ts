import { hourMs, minuteMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-16T12:00:30Z')
let serviceId: string
let page: { id: string; cards: unknown[] }

const at = (ms: number, path = '') => api.nobody.get(`/s/acme${path}?at=${new Date(ms).toISOString()}`)
const update = (incidentId: string, body: Record<string, unknown>) =>
  api.alice.post(`/v1/status-pages/incidents/${incidentId}/incident-updates`, body)
const settings = () => ({
  ...{ name: 'Acme', url: 'acme', cards: [{ name: 'Shop', services: [{ id: serviceId }] }] },
})

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  serviceId = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body.id
  page = (await api.alice.post('/v1/status-pages', settings())).body
})
afterAll(() => api.close())

async function createIncident(values: Record<string, unknown> = {}): Promise<string> {
  const { body } = await api.alice.post('/v1/status-pages/incidents', {
    ...{ name: 'Payments fail', severity: 'CRITICAL', services: [{ id: serviceId }] },
    incidentUpdates: [{ description: 'We are looking.' }],
    ...values,
  })
  return body.id
}

describe('a status page at a time in the past', () => {
  it('shows incidents with the updates that had been written by then', async () => {
    now += hourMs
    const began = now
    const id = await createIncident()
    now += hourMs
    await update(id, { status: 'RESOLVED', description: 'It works again.' })
    now += hourMs
    // Written later, with an earlier date.
    await update(id, {
      ...{ status: 'IDENTIFIED', description: 'A broken cable.' },
      publicIncidentUpdateDate: new Date(began + minuteMs).toISOString(),
    })
    const before = await at(began - minuteMs)
    expect(before.text).toContain('All systems operational')
    expect(before.text).not.toContain('Payments fail')
    const during = await at(began + 30 * minuteMs)
    expect(during.text).toContain('Major outage: Checkout')
    expect(during.text).toContain('We are looking.')
    expect(during.text).not.toContain('It works again.')
    expect(during.text).not.toContain('A broken cable.')
    const after = await at(began + 90 * minuteMs)
    expect(after.text).toContain('All systems operational')
    expect(after.text).toContain('Lasted 1 h')
    for (const path of [`/incidents/${id}`, '/history']) {
      const { text } = await at(began + 30 * minuteMs, path)
      expect(text).toContain('Payments fail')
      expect(text).not.toContain('It works again.')
    }
  })

  it('says so, links to other pages of that time, and is neither kept nor indexed', async () => {
    const { text, headers } = await at(Date.parse('2026-11-16T13:30:59Z'))
    expect(text).toContain('This is the page as it was on Nov 16, 2026, 13:30 UTC.')
    expect(text).toContain('<a href="/s/acme/">Show it as it is now</a>')
    expect(text).toContain('href="/s/acme/history?at=2026-11-16T13:30:00.000Z"')
    expect(text).not.toContain('id="subscribe"')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    const local = await api.nobody.get('/s/acme?at=2026-11-16T13:30')
    expect(local.text).toContain('as it was on Nov 16, 2026, 13:30 UTC.')
  })

  it('never shows deleted incidents', async () => {
    const id = await createIncident({ name: 'A mistake' })
    now += 10 * minuteMs
    expect((await at(now - 5 * minuteMs)).text).toContain('A mistake')
    await api.alice.delete(`/v1/status-pages/incidents/${id}`)
    expect((await at(now - 5 * minuteMs)).text).not.toContain('A mistake')
  })

  it.each([
    ['the future', () => new Date(now + hourMs).toISOString()],
    ['before the page existed', () => '2026-11-16T11:00:00Z'],
    ['not a time', () => 'yesterday'],
    ['no such day', () => '2026-13-45T10:00:00Z'],
    ['empty', () => ''],
  ])('400: %s', async (_name, text) => {
    const { status, text: shown } = await api.nobody.get(`/s/acme?at=${text()}`)
    expect(status).toBe(400)
    expect(shown).toContain('Choose a time such as 2026-11-16T12:00Z')
  })

  it('shows nothing from while it was private', async () => {
    now += hourMs
    const publicTime = now
    now += hourMs
    const { body } = await api.alice.put(`/v1/status-pages/${page.id}`, { ...settings(), isPrivate: true })
    const authorization = `Basic ${Buffer.from(`reader:${body.keys[0].rawKey}`).toString('base64')}`
    now += hourMs
    const secret = now
    const query = (ms: number) => `/s/acme?at=${new Date(ms).toISOString()}`
    const unlocked = await api.nobody.send('GET', query(publicTime), undefined, { authorization })
    expect(unlocked.status).toBe(400)
    expect(unlocked.text).toContain('This page is private')
    now += hourMs
    await api.alice.put(`/v1/status-pages/${page.id}`, { ...settings(), isPrivate: false })
    now += hourMs
    expect((await at(now - 30 * minuteMs)).status).toBe(200)
    expect((await at(secret)).status).toBe(400)
    expect((await at(publicTime)).status).toBe(400)
  })
})

describe('past pages', () => {
  it('429: too many from one address', async () => {
    const own = await startTestApi({ RATE_LIMIT_FACTOR: '0.1' }, { now: () => now })
    await own.alice.post('/v1/status-pages', { name: 'Acme', url: 'acme', cards: [] })
    now += minuteMs
    const path = `/s/acme?at=${new Date(now).toISOString()}`
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await own.nobody.get(path)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    await own.close()
  })
})
