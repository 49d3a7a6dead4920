import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now: number
let count = 0

beforeAll(async () => {
  now = Date.parse('2026-11-16T12:00:00Z')
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

interface Component {
  id: string
  serviceId: string
}

/** A page and a function that adds components to it. */
async function newPage() {
  const url = `tree-${++count}`
  const { body } = await api.alice.post('/v1/status-pages', { name: 'Acme', url, version: 3 })
  const add = async (values: object): Promise<Component> => {
    const {
      status,
      body: component,
      text,
    } = await api.alice.post(`/v1/status-pages/${body.id}/components`, values)
    expect(status, text).toBe(201)
    return component
  }
  const open = async (path = '') => {
    // Content is kept for seconds.
    now += 10_000
    return (await api.nobody.get(`/s/${url}${path}`)).text
  }
  return { id: body.id as string, add, open }
}

async function fail({ serviceId }: Component, severity = 'MAJOR'): Promise<string> {
  const { body } = await api.alice.post('/v1/status-pages/incidents', {
    name: `Trouble ${++count}`,
    severity,
    services: [{ id: serviceId }],
    incidentUpdates: [{ description: 'We look.' }],
  })
  return body.id
}

describe('the components of a status page', () => {
  it('are shown as cards, with nested groups that open and close', async () => {
    const { add, open } = await newPage()
    const card = await add({ type: 'GROUP', name: 'Storefront', description: 'All that sells' })
    await add({ name: 'Checkout', parentId: card.id, description: 'Pay here' })
    const inner = await add({
      ...{ type: 'GROUP', name: 'Regions', parentId: card.id },
      configuration: { expandedByDefault: false },
    })
    await add({ name: 'Europe', parentId: inner.id })
    const text = await open()
    expect(text).toContain('<h2 id="card0">Storefront</h2><span class="muted">100 % uptime</span>')
    expect(text).toContain('All that sells')
    expect(text).toContain('<h3>Checkout</h3>')
    expect(text).toContain('Pay here')
    expect(text).toContain('<details class="group"><summary><h3>Regions</h3><span class="state passing">')
    expect(text).toContain('<h4>Europe</h4>')
  })

  it('are open by default, and while something in them is wrong', async () => {
    const { add, open } = await newPage()
    const closed = { type: 'GROUP', configuration: { expandedByDefault: false } }
    const card = await add({ ...closed, name: 'Closed card' })
    const inner = await add({ ...closed, name: 'Closed group', parentId: card.id })
    const europe = await add({ name: 'Europe', parentId: inner.id })
    const open1 = await add({ type: 'GROUP', name: 'Card' })
    await add({ type: 'GROUP', name: 'Open group', parentId: open1.id })
    const calm = await open()
    expect(calm).toContain('<details class="group"><summary><h2 id="card0">Closed card</h2>')
    expect(calm).toContain('<details class="group"><summary><h3>Closed group</h3>')
    expect(calm).toContain('<details class="group" open><summary><h3>Open group</h3>')
    await fail(europe, 'CRITICAL')
    const failing = await open()
    expect(failing).toContain(
      '<details class="group" open><summary><h2 id="card0">Closed card</h2><span class="state failing">',
    )
    expect(failing).toContain(
      '<details class="group" open><summary><h3>Closed group</h3><span class="state failing">',
    )
    expect(failing).toContain('Major outage: Europe')
  })

  it('have the worst state and the mean uptime of the services in them', async () => {
    const { add, open } = await newPage()
    const card = await add({ type: 'GROUP', name: 'Card' })
    const inner = await add({ type: 'GROUP', name: 'Inner', parentId: card.id })
    const [one, two] = [
      await add({ name: 'One', parentId: inner.id }),
      await add({ name: 'Two', parentId: inner.id }),
    ]
    await add({ name: 'Three', parentId: card.id })
    await add({ name: 'Four', parentId: card.id })
    await fail(one, 'MINOR')
    await fail(two, 'MAJOR')
    // 89.5 days are shown. Two of four services are down for half a day of them, so 0.28 % are missing.
    now += 12 * 3_600_000
    const text = await open()
    expect(text).toContain('<summary><h3>Inner</h3><span class="state partial">')
    expect(text).toContain('<h2 id="card0">Card</h2><span class="muted">99.7')
  })

  it('without a group share a card', async () => {
    const { add, open } = await newPage()
    await add({ name: 'One' })
    await add({ name: 'Two' })
    await add({ type: 'GROUP', name: 'Group' })
    await add({ name: 'Three' })
    const text = await open()
    expect(text.match(/<div class="card"><ul>/g)).toHaveLength(2)
    const headings = [...text.matchAll(/<h2[^>]*>(\w+)<\/h2>/g)].map(([, name]) => name)
    expect(headings).toEqual(['One', 'Two', 'Group', 'Three'])
  })

  it('show no days and no uptime if that is turned off', async () => {
    const { add, open } = await newPage()
    await add({ name: 'Quiet', configuration: { showHistoricalData: false } })
    const text = await open()
    expect(text).toContain('<h2>Quiet</h2><span class="state passing">')
    expect(text).not.toContain('class="bars"')
    expect(text).not.toContain('% uptime')
  })

  it('show markup as text', async () => {
    const { add, open } = await newPage()
    const evil = '"><script>alert(1)</script>'
    const card = await add({ type: 'GROUP', name: evil, description: evil })
    const inner = await add({ type: 'GROUP', name: evil, description: evil, parentId: card.id })
    await add({ name: evil, description: evil, parentId: inner.id })
    const text = await open()
    expect(text).not.toContain('<script>alert')
    expect(text.match(/&lt;script&gt;alert/g)).toHaveLength(6)
  })

  it('are not shown if they are hidden, nor what is in them, nor their incidents, by any address', async () => {
    const { add, open, id } = await newPage()
    const shown = await add({ name: 'Shown' })
    const hidden = await add({ name: 'Secret one', hidden: true })
    const group = await add({ type: 'GROUP', name: 'Secret group', hidden: true })
    const inner = await add({ type: 'GROUP', name: 'Secret inner', parentId: group.id })
    const inside = await add({ name: 'Secret two', parentId: inner.id })
    const incidents = [await fail(hidden), await fail(inside)]
    const { body } = await api.alice.get(`/v1/status-pages/incidents/${incidents[0]}`)
    for (const path of ['', '/history', '/feed.rss', '/feed.atom', '/feed.json']) {
      const text = await open(path)
      expect(text).not.toContain('Secret')
      expect(text).not.toContain(body.name)
    }
    expect(await open()).toContain('All systems operational')
    for (const incident of incidents) expect(await open(`/incidents/${incident}`)).not.toContain('We look.')
    const both = await api.alice.put(`/v1/status-pages/incidents/${incidents[0]}`, {
      services: [{ id: hidden.serviceId }, { id: shown.serviceId }],
    })
    expect(both.status).toBe(200)
    expect(await open(`/incidents/${incidents[0]}`)).toContain('Affects: Shown</p>')
    const { incidents: listed } = (await api.alice.get(`/v1/status-pages/${id}`)).body
    expect(listed).toHaveLength(2)
  })

  it('mail their incidents to subscribers only if they are shown, by their name on the page', async () => {
    const { add, id } = await newPage()
    await api.alice.post(`/v1/status-pages/${id}/subscriptions/bulk`, {
      subscriptions: [{ type: 'EMAIL', config: 'ada@example.com' }],
    })
    await api.store.pool.query(
      `update status_page_subscriptions set status = 'VERIFIED' where status_page_id = $1`,
      [id],
    )
    const { body: service } = await api.alice.post('/v1/status-pages/services', { name: 'internal-api-7' })
    const [shown, hidden] = [
      await add({ name: 'The API', serviceId: service.id }),
      await add({ name: 'Secret', hidden: true }),
    ]
    for (const services of [[shown, hidden], [hidden]]) {
      await api.alice.post('/v1/status-pages/incidents', {
        ...{
          name: 'Down',
          severity: 'MAJOR',
          services: services.map(({ serviceId }) => ({ id: serviceId })),
        },
        incidentUpdates: [{ description: 'We look.', notifySubscribers: true }],
      })
    }
    const { rows } = await api.store.pool.query(
      `select m.facts->'services' as services from mails m
       join status_page_subscriptions s on s.id = m.subscription_id
       where s.status_page_id = $1 and m.kind = 'incident_update'`,
      [id],
    )
    expect(rows).toEqual([{ services: ['The API'] }])
  })
})
