import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const path = '/v1/status-pages/services'
const create = async (name = 'Checkout', caller = api.alice) => (await caller.post(path, { name })).body

describe('POST /v1/status-pages/services', () => {
  it('201: returns the service with its account', async () => {
    const { status, body } = await api.alice.post(path, { name: 'Checkout' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Checkout', accountId: api.alice.accountId, updated_at: null })
    expect((await api.alice.get(`${path}/${body.id}`)).body).toEqual(body)
  })

  it('400: names the wrong field', async () => {
    const { status, body } = await api.alice.post(path, { name: '' })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ name: 'must have at least 1 characters' })
  })

  it('403: a reader creates nothing', async () => {
    expect((await (await api.as('READ_ONLY')).post(path, { name: 'x' })).status).toBe(403)
  })
})

describe('GET /v1/status-pages/services', () => {
  it('200: cursors visit all of them, newest first, and end with null', async () => {
    const owner = await api.newAccount()
    for (let index = 0; index < 5; index++) await create(`s${index}`, owner)
    const ids: string[] = []
    let nextId: string | null = ''
    let pages = 0
    while (nextId !== null) {
      const { status, body } = await owner.get(`${path}?limit=2&nextId=${nextId}`)
      expect(status).toBe(200)
      expect(body.length).toBe(5)
      ids.push(...body.entries.map((entry: { id: string }) => entry.id))
      nextId = body.nextId
      pages++
    }
    expect(pages).toBe(3)
    expect(new Set(ids).size).toBe(5)
    const whole = (await owner.get(path)).body
    expect(whole.entries.map((entry: { id: string }) => entry.id)).toEqual(ids)
    expect(whole.nextId).toBeNull()
    const ages = whole.entries.map((entry: { created_at: string }) => entry.created_at)
    expect(ages).toEqual(ages.toSorted().toReversed())
  })

  it('200: entries of one instant are neither lost nor repeated', async () => {
    const owner = await api.newAccount()
    const created = await Promise.all(Array.from({ length: 7 }, (_, index) => create(`s${index}`, owner)))
    await api.store.db
      .updateTable('status_page_services')
      .set({ created_at: '2026-11-15T08:00:00.123Z' })
      .where('account_id', '=', owner.accountId)
      .execute()
    const first = (await owner.get(`${path}?limit=4`)).body
    const second = (await owner.get(`${path}?limit=4&nextId=${first.nextId}`)).body
    const ids = [...first.entries, ...second.entries].map((entry) => entry.id)
    expect(ids.toSorted()).toEqual(created.map((entry) => entry.id).toSorted())
    expect(second.nextId).toBeNull()
  })

  it('400: refuses an invalid cursor', async () => {
    const february = Buffer.from('2026-02-30T00:00:00.000Z 5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11').toString(
      'base64url',
    )
    for (const nextId of ['x', '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11', february]) {
      const { status, body } = await api.alice.get(`${path}?nextId=${nextId}`)
      expect(status).toBe(400)
      expect(body.attributes).toEqual({ nextId: 'must be the nextId of the page before' })
    }
  })
})

describe('GET /v1/status-pages/services/{serviceId}', () => {
  it('404: another account sees nothing', async () => {
    const { id } = await create()
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
  })
})

describe('PUT /v1/status-pages/services/{serviceId}', () => {
  it('200: renames it, and changes only what is sent', async () => {
    const before = await create()
    const { status, body } = await api.alice.put(`${path}/${before.id}`, { name: 'Payments' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'Payments', updated_at: expect.any(String) })
    expect((await api.alice.put(`${path}/${before.id}`, {})).body.name).toBe('Payments')
  })

  it('400: names the wrong field', async () => {
    const { id } = await create()
    const { status, body } = await api.alice.put(`${path}/${id}`, { name: 5 })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ name: 'must be a string' })
  })

  it('403: a reader renames nothing', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_ONLY')).put(`${path}/${id}`, { name: 'x' })).status).toBe(403)
  })

  it('404: another account renames nothing', async () => {
    const { id } = await create()
    expect((await api.bob.put(`${path}/${id}`, { name: 'x' })).status).toBe(404)
  })
})

describe('DELETE /v1/status-pages/services/{serviceId}', () => {
  it('409 while a card shows it, naming the pages; 204 then, and incidents keep its name', async () => {
    const service = await create()
    const cards = [{ name: 'Core', services: [{ id: service.id }] }]
    const page = (await api.alice.post('/v1/status-pages', { name: 'P', url: 'loses-one', cards })).body
    const incident = (
      await api.alice.post('/v1/status-pages/incidents', {
        name: 'Down',
        severity: 'MAJOR',
        services: [service],
        incidentUpdates: [{ description: 'We look' }],
      })
    ).body
    const used = await api.alice.delete(`${path}/${service.id}`)
    expect(used.status).toBe(409)
    expect(used.body.message).toBe('The service is shown on the status page "P": remove it there first.')
    const emptied = { name: 'P', url: 'loses-one', cards: [{ ...cards[0], services: [] }] }
    expect((await api.alice.put(`/v1/status-pages/${page.id}`, emptied)).status).toBe(200)
    expect((await api.bob.delete(`${path}/${service.id}`)).status).toBe(404)
    expect((await api.alice.delete(`${path}/${service.id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${service.id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${service.id}`)).status).toBe(404)
    expect((await api.alice.put(`${path}/${service.id}`, { name: 'x' })).status).toBe(404)
    const { entries } = (await api.alice.get(path)).body
    expect(entries.map(({ id }: { id: string }) => id)).not.toContain(service.id)
    expect((await api.alice.get(`/v1/status-pages/incidents/${incident.id}`)).body.services).toMatchObject([
      { id: service.id, name: service.name },
    ])
    const again = { ...emptied, cards }
    expect((await api.alice.put(`/v1/status-pages/${page.id}`, again)).status).toBe(400)
  })

  // choice: like cards and incidents, a check does not keep a service alive. It opens no incident any more, and says
  // so when it is next changed.
  it('204: also one that a check would open incidents of', async () => {
    const service = await create()
    const triggerIncident = { serviceId: service.id, name: 'Down', description: 'It is down' }
    const request = { url: 'https://example.com' }
    const check = (
      await api.alice.post('/v1/checks/url', {
        name: 'c',
        locations: ['eu-west-1'],
        request,
        triggerIncident,
      })
    ).body
    expect((await api.alice.delete(`${path}/${service.id}`)).status).toBe(204)
    const after = (await api.alice.get(`/v1/checks/${check.id}`)).body
    expect(after.triggerIncident).toMatchObject({ serviceId: service.id, name: 'Down' })
    expect((await api.alice.put(`/v1/checks/url/${check.id}`, { name: 'renamed' })).status).toBe(200)
    const sentBack = await api.alice.put(`/v1/checks/url/${check.id}`, after)
    expect(sentBack.status).toBe(400)
    expect(sentBack.body.attributes).toEqual({ 'triggerIncident.serviceId': 'does not exist' })
  })

  it('404: another account removes nothing', async () => {
    const { id } = await create()
    expect((await api.bob.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${id}`)).status).toBe(200)
  })
})

describe('the usage of services', () => {
  it('200: pages, checks, rules and open incidents', async () => {
    const { body: service } = await api.alice.post('/v1/status-pages/services', { name: 'Used' })
    const { body: page } = await api.alice.post('/v1/status-pages', { name: 'P', url: 'usage', version: 3 })
    const { body: group } = await api.alice.post(`/v1/status-pages/${page.id}/components`, {
      ...{ type: 'GROUP', name: 'All' },
    })
    await api.alice.post(`/v1/status-pages/${page.id}/components`, {
      ...{ serviceId: service.id, parentId: group.id },
    })
    const { body: rule } = await api.alice.post(`/v1/status-pages/${page.id}/automation-rules`, {
      ...{ name: 'Down', tags: ['a'], firstUpdate: 'x', lastUpdate: 'y' },
      components: [{ componentId: group.id, targetImpact: 'MAJOR_OUTAGE' }],
    })
    const { body: check, text } = await api.alice.post('/v1/checks/url', {
      ...{ name: 'Home', locations: ['eu-central-1'], request: { url: 'https://example.com' } },
      triggerIncident: {
        ...{ serviceId: service.id, severity: 'MAJOR', name: 'Down', description: 'x' },
        notifySubscribers: false,
      },
    })
    expect(check.id, text).toBeDefined()
    await api.alice.post('/v1/status-pages/incidents', {
      ...{ name: 'Slow', severity: 'MINOR', services: [{ id: service.id }] },
      incidentUpdates: [{ description: 'x' }],
    })
    const { body } = await api.alice.get('/v1/status-pages/service-usage')
    expect(body.find(({ serviceId }: { serviceId: string }) => serviceId === service.id)).toEqual({
      serviceId: service.id,
      statusPages: [{ id: page.id, name: 'P', url: 'usage' }],
      checkCount: 1,
      checks: [{ id: check.id, name: 'Home' }],
      automationRules: [{ id: rule.id, name: 'Down', statusPageId: page.id }],
      openIncidents: 1,
    })
    expect((await api.bob.get('/v1/status-pages/service-usage')).body).toEqual([])
  })
})
