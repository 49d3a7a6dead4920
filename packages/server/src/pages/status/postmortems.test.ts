// What is written about an incident afterwards: its postmortem, and incidents that are added later.
import { dayMs, hourMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-16T12:00:00Z')
let serviceId: string
let pageId: string
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  serviceId = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body.id
  const cards = [{ name: 'Shop', services: [{ id: serviceId }] }]
  pageId = (await api.alice.post('/v1/status-pages', { name: 'Acme', url: 'acme', cards })).body.id
})
afterAll(() => api.close())

const incidents = '/v1/status-pages/incidents'

const create = (update: object, more: object = {}) =>
  api.alice.post(incidents, {
    name: 'Payments fail',
    severity: 'MAJOR',
    services: [{ id: serviceId }],
    incidentUpdates: [{ description: 'Over.', ...update }],
    ...more,
  })

/** Content is kept for seconds: moves the clock past them. */
const open = async (path: string) => {
  now += 10_000
  return (await api.nobody.get(`/s/acme${path}`)).text
}

const before = (ms: number) => ({ publicIncidentUpdateDate: new Date(now - ms).toISOString() })

describe('a postmortem', () => {
  const text = 'A <b>disk</b> was full.\nSee https://example.com/?a=1&b=2.'
  const shown = 'A &lt;b&gt;disk&lt;/b&gt; was full.\nSee https://example.com/?a=1&amp;b=2.'

  it('is shown as text on the page of a resolved incident and in feeds', async () => {
    const { id } = (await create({ status: 'RESOLVED' })).body
    expect(await open(`/incidents/${id}`)).not.toContain('Postmortem')
    now += hourMs
    const saved = await api.alice.put(`${incidents}/${id}`, { postmortem: ` ${text}\n` })
    expect(saved.status, saved.text).toBe(200)
    expect(saved.body.postmortem).toBe(text)
    const writtenAt = new Date(now).toISOString()
    const page = await open(`/incidents/${id}`)
    expect(page).toContain(`<h2 id="postmortem">Postmortem</h2>`)
    expect(page).toContain(shown)
    expect(page).toContain(`<time datetime="${writtenAt}">`)
    expect(await open(`/incidents/${id}?lang=de`)).toContain('Nachbericht')
    const feed = JSON.parse(await open('/feed.json'))
    const item = feed.items.find(({ url }: { url: string }) => url.endsWith(id))
    expect(item.content_text).toContain(`Postmortem: ${text}`)
    expect(item.date_modified).toBe(writtenAt)
    expect(await open('/feed.rss')).toContain(shown)
    await api.alice.patch(`${incidents}/${id}`, { postmortem: null })
    expect(await open(`/incidents/${id}`)).not.toContain('Postmortem')
  })

  it('stays when an incident is changed, or sent back as it was read', async () => {
    const { id } = (await create({ status: 'RESOLVED' }, { postmortem: text })).body
    await api.alice.put(`${incidents}/${id}`, { severity: 'MINOR' })
    const { body } = await api.alice.get(`${incidents}/${id}`)
    expect(body.postmortem).toBe(text)
    await api.alice.post(`${incidents}/${id}/incident-updates`, { description: 'Again.' })
    const { incidentUpdates: _, ...sent } = body
    expect((await api.alice.put(`${incidents}/${id}`, sent)).status).toBe(200)
  })

  it('400: of an incident that is open, and a text that is empty or too long', async () => {
    const { id } = (await create({ status: 'MONITORING' })).body
    const refused = await api.alice.put(`${incidents}/${id}`, { postmortem: text })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('add an update with status RESOLVED first')
    expect((await create({}, { postmortem: text })).status).toBe(400)
    for (const wrong of ['', '  ', 'x'.repeat(20_001)])
      expect((await create({ status: 'RESOLVED' }, { postmortem: wrong })).status).toBe(400)
    expect((await api.bob.put(`${incidents}/${id}`, { postmortem: text })).status).toBe(404)
  })
})

describe('an incident that is added later', () => {
  it('says so on the page, in the history and in feeds', async () => {
    const update = { status: 'RESOLVED', ...before(3 * dayMs) }
    const { id } = (await create(update, { name: 'Search was slow' })).body
    const added = 'Added later, on Nov 16, 2026'
    const page = await open(`/incidents/${id}`)
    expect(page.split(added)).toHaveLength(2)
    expect(await open('')).toContain(added)
    expect(await open('/history/2026-11')).toContain(added)
    expect(await open(`/incidents/${id}?lang=de`)).toContain('Nachgetragen am 16. Nov. 2026')
    const feed = JSON.parse(await open('/feed.json'))
    const item = feed.items.find(({ url }: { url: string }) => url.endsWith(id))
    expect(item.content_text.startsWith(added)).toBe(true)
  })

  it('is not what was written down within hours', async () => {
    const { id } = (await create({ status: 'RESOLVED', ...before(5 * hourMs) })).body
    expect(await open(`/incidents/${id}`)).not.toContain('Added later')
  })

  it('notifies subscribers and webhooks only if asked', async () => {
    const { pool } = api.store
    await api.alice.post(`/v1/status-pages/${pageId}/subscriptions/bulk`, {
      subscriptions: [{ type: 'EMAIL', config: 'ada@example.com' }],
    })
    await pool.query(`update status_page_subscriptions set status = 'VERIFIED'`)
    await api.alice.post(`/v1/status-pages/${pageId}/webhooks`, { name: 'Bot', url: 'https://example.com/' })
    const notices = async () => {
      const mails = await pool.query(`select from mails where kind = 'incident_update'`)
      const events = await pool.query('select from page_webhook_deliveries')
      return [mails.rows.length, events.rows.length]
    }
    await create({ status: 'RESOLVED', ...before(3 * dayMs) })
    expect(await notices()).toEqual([0, 0])
    await create({ status: 'RESOLVED', notifySubscribers: true, ...before(3 * dayMs) })
    expect(await notices()).toEqual([1, 1])
    await create({ status: 'RESOLVED', ...before(hourMs) })
    expect(await notices()).toEqual([1, 2])
  })
})
