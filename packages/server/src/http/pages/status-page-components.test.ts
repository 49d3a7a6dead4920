import { randomUUID } from 'node:crypto'
import { componentLimits } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const pages = '/v1/status-pages'

interface Page {
  id: string
  url: string
  path: string
}

async function newPage(values: object = { version: 3 }, owner: Caller = api.alice): Promise<Page> {
  const url = `p-${randomUUID().slice(0, 13)}`
  const { status, body, text } = await owner.post(pages, { name: 'Shop', url, ...values })
  expect(status, text).toBe(201)
  return { id: body.id, url, path: `${pages}/${body.id}/components` }
}

async function add(page: Page, values: object, owner: Caller = api.alice) {
  const { status, body, text } = await owner.post(page.path, values)
  expect(status, text).toBe(201)
  return body
}

const group = (page: Page, name: string, parentId: string | null = null) =>
  add(page, { type: 'GROUP', name, parentId })
const names = async (page: Page): Promise<string[]> =>
  (await api.alice.get(page.path)).body.map(({ name }: { name: string }) => name)
const servicesOf = async (owner: Caller): Promise<string[]> =>
  (await owner.get(`${pages}/services?limit=100`)).body.entries.map(({ name }: { name: string }) => name)

describe('a page of version 3', () => {
  it('201: needs no cards, and shows its components', async () => {
    const { body } = await api.alice.post(pages, { name: 'Shop', url: `v3-${Date.now()}`, version: 3 })
    expect(body).toMatchObject({ version: 3, cards: [], components: [] })
  })

  it('400: a page of version 2 needs cards', async () => {
    for (const version of [2, undefined]) {
      const { status, body } = await api.alice.post(pages, { name: 'Shop', url: 'x', version })
      expect([status, Object.keys(body.attributes)]).toEqual([400, ['cards']])
    }
    const { body } = await api.alice.post(pages, { name: 'Shop', url: 'x', version: 4, cards: [] })
    expect(Object.keys(body.attributes)).toEqual(['version'])
    expect((await api.alice.post(pages, null)).status).toBe(400)
  })

  it('200: a replacement without cards keeps the components, and the version unless it is sent', async () => {
    const page = await newPage()
    await group(page, 'Storefront')
    const replace = (values: object) =>
      api.alice.put(`${pages}/${page.id}`, { name: 'Shop', url: page.url, ...values })
    expect((await replace({ version: 3 })).body).toMatchObject({
      version: 3,
      components: [{ name: 'Storefront' }],
    })
    const { cards } = (await api.alice.get(`${pages}/${page.id}`)).body
    expect((await replace({ cards })).body).toMatchObject({
      version: 3,
      components: [{ name: 'Storefront' }],
    })
    expect((await replace({})).status).toBe(400)
  })
})

describe('cards and components are two views of one tree', () => {
  it('shows cards as groups with services', async () => {
    const service = (await api.alice.post(`${pages}/services`, { name: 'Checkout' })).body
    const page = await newPage({ cards: [{ name: 'Storefront', services: [service] }] })
    const { cards } = (await api.alice.get(`${pages}/${page.id}`)).body
    const { body } = await api.alice.get(page.path)
    expect(body).toMatchObject([
      { id: cards[0].id, type: 'GROUP', name: 'Storefront', parentId: null, serviceId: null },
      { type: 'SERVICE', name: 'Checkout', parentId: cards[0].id, serviceId: service.id },
    ])
    expect(body[0].configuration).toEqual({ expandedByDefault: true })
    expect(body[1].configuration).toEqual({ showHistoricalData: true })
    await api.alice.put(`${pages}/services/${service.id}`, { name: 'Payments' })
    expect(await names(page)).toEqual(['Storefront', 'Payments'])
  })

  it('keeps other components, and the settings of a service, when cards are replaced', async () => {
    const page = await newPage()
    const card = await group(page, 'Storefront')
    const kept = await add(page, { name: 'Checkout', parentId: card.id, description: 'Pay here' })
    const removed = await add(page, { name: 'Search', parentId: card.id })
    const nested = await group(page, 'Inner', card.id)
    const single = await add(page, { name: 'Mail' })
    const sent = [{ id: card.id, name: 'Shop', services: [{ id: kept.serviceId }] }]
    const { body } = await api.alice.put(`${pages}/${page.id}`, { name: 'P', url: page.url, cards: sent })
    expect(body.components).toMatchObject([
      { id: card.id, name: 'Shop' },
      { id: kept.id, description: 'Pay here', displayOrder: 0 },
      { id: nested.id },
      { id: single.id },
    ])
    expect((await api.alice.get(`${pages}/services/${removed.serviceId}`)).status).toBe(404)
    const { cards } = (await api.alice.put(`${pages}/${page.id}`, { name: 'P', url: page.url, cards: [] }))
      .body
    expect(cards).toEqual([])
    expect(await names(page)).toEqual(['Mail'])
  })
})

describe('POST /v1/status-pages/{statusPageId}/components', () => {
  it('201: what a published client sends reads back', async () => {
    const page = await newPage()
    const parent = await add(page, {
      ...{ statusPageId: page.id, parentId: null, type: 'GROUP', name: 'Group', displayOrder: 0 },
      configuration: { expandedByDefault: false },
    })
    const sent = {
      ...{ statusPageId: page.id, parentId: parent.id, type: 'SERVICE', name: 'Svc', description: 'x' },
      ...{ hidden: true, displayOrder: 1, configuration: { showHistoricalData: false } },
    }
    const created = await add(page, sent)
    expect(created).toEqual({
      ...sent,
      id: expect.any(String),
      serviceId: expect.any(String),
      created_at: expect.any(String),
      updated_at: null,
    })
    expect((await api.alice.get(`${page.path}/${created.id}`)).body).toEqual(created)
    expect((await api.alice.get(`${page.path}/${parent.id}`)).body.configuration).toEqual({
      expandedByDefault: false,
    })
    expect((await api.alice.get(`${pages}/services/${created.serviceId}`)).body.name).toBe('Svc')
  })

  it('201: lists the tree in the order of the page; new ones come last', async () => {
    const page = await newPage()
    const outer = await group(page, 'Outer')
    const inner = await group(page, 'Inner', outer.id)
    await add(page, { name: 'Last' })
    await add(page, { name: 'Deep', parentId: inner.id })
    await add(page, { name: 'First', displayOrder: 0, parentId: outer.id })
    await api.alice.put(`${page.path}/${inner.id}`, { displayOrder: 1 })
    expect(await names(page)).toEqual(['Outer', 'First', 'Inner', 'Deep', 'Last'])
  })

  it('201: a service of the account, by its name or by another', async () => {
    const page = await newPage()
    const { id: serviceId } = (await api.alice.post(`${pages}/services`, { name: 'API' })).body
    const card = await group(page, 'Card')
    expect(await add(page, { serviceId })).toMatchObject({ name: 'API', type: 'SERVICE', serviceId })
    expect(await add(page, { serviceId, name: 'Our API', parentId: card.id })).toMatchObject({
      name: 'Our API',
    })
    const twice = await api.alice.post(page.path, { serviceId, parentId: card.id })
    expect([twice.status, twice.body.attributes]).toEqual([409, { serviceId: 'is taken already' }])
  })

  it('400: names every wrong field', async () => {
    const page = await newPage()
    const { status, body } = await api.alice.post(page.path, {
      type: 'CARD',
      name: '',
      parentId: 'x',
      description: 'd'.repeat(501),
      hidden: 'no',
      displayOrder: -1,
      configuration: { expandedByDefault: 1 },
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).toSorted()).toEqual([
      'configuration.expandedByDefault',
      'description',
      'displayOrder',
      'hidden',
      'name',
      'parentId',
      'type',
    ])
    for (const nameless of [{ type: 'GROUP' }, {}, { type: 'GROUP', serviceId: randomUUID() }])
      expect((await api.alice.post(page.path, nameless)).body.attributes).toHaveProperty('name')
  })

  it('400: a parent on another page, of another account, unknown, or that is a service', async () => {
    const [page, other, foreign] = [await newPage(), await newPage(), await newPage({ version: 3 }, api.bob)]
    const service = await add(page, { name: 'A service' })
    const parents = [
      (await group(other, 'Other')).id,
      (await add(foreign, { type: 'GROUP', name: 'Foreign' }, api.bob)).id,
      randomUUID(),
      service.id,
    ]
    for (const parentId of parents) {
      const { status, body } = await api.alice.post(page.path, { name: 'x', parentId })
      expect([status, body.attributes]).toEqual([400, { parentId: "isn't a group of this status page" }])
    }
  })

  it('400: a service of another account, and one for a group', async () => {
    const page = await newPage()
    const { id: serviceId } = (await api.bob.post(`${pages}/services`, { name: 'Theirs' })).body
    expect((await api.alice.post(page.path, { serviceId })).body.attributes).toEqual({
      serviceId: "isn't a service of this account",
    })
    expect(
      (await api.alice.post(page.path, { type: 'GROUP', name: 'G', serviceId })).body.attributes,
    ).toEqual({
      serviceId: "isn't allowed for a group",
    })
  })

  it('400: more than three levels', async () => {
    const page = await newPage()
    const inner = await group(page, 'Two', (await group(page, 'One')).id)
    const third = await group(page, 'Three', inner.id)
    const { status, body } = await api.alice.post(page.path, { name: 'Four', parentId: third.id })
    expect([status, body.attributes]).toEqual([400, { parentId: 'is too deep: a page has at most 3 levels' }])
  })

  it('409: a page is full', async () => {
    const page = await newPage()
    await api.store.pool.query(
      `insert into status_page_components (account_id, status_page_id, name, display_order)
       select $1, $2, 'Group ' || n, n from generate_series(1, $3) n`,
      [api.alice.accountId, page.id, componentLimits.perPage],
    )
    expect((await api.alice.post(page.path, { name: 'One more' })).status).toBe(409)
  })

  it('404: another account; 403: a reader', async () => {
    const page = await newPage()
    expect((await api.bob.post(page.path, { name: 'x' })).status).toBe(404)
    expect((await api.bob.get(page.path)).status).toBe(404)
    expect((await (await api.as('READ_ONLY')).post(page.path, { name: 'x' })).status).toBe(403)
    expect(await names(page)).toEqual([])
  })
})

describe('PUT /v1/status-pages/{statusPageId}/components/{componentId}', () => {
  it('200: changes only what is sent, and may be sent back as it was read', async () => {
    const page = await newPage()
    const before = await add(page, { name: 'API', description: 'Ours', displayOrder: 3 })
    const { status, body } = await api.alice.put(`${page.path}/${before.id}`, before)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, updated_at: expect.any(String) })
    expect((await api.alice.put(`${page.path}/${before.id}`, { hidden: true })).body).toMatchObject({
      ...{ name: 'API', description: 'Ours', displayOrder: 3, hidden: true },
    })
  })

  it('200: renames a service of its own; one of the account is renamed on this page only', async () => {
    const page = await newPage()
    const own = await add(page, { name: 'API' })
    const { id: serviceId } = (await api.alice.post(`${pages}/services`, { name: 'Web' })).body
    const shared = await add(page, { serviceId })
    for (const id of [own.id, shared.id]) await api.alice.put(`${page.path}/${id}`, { name: 'Renamed' })
    expect(await names(page)).toEqual(['Renamed', 'Renamed'])
    expect((await api.alice.get(`${pages}/services/${own.serviceId}`)).body.name).toBe('Renamed')
    expect((await api.alice.get(`${pages}/services/${serviceId}`)).body.name).toBe('Web')
    await api.alice.put(`${page.path}/${shared.id}`, { name: 'Web' })
    await api.alice.put(`${pages}/services/${serviceId}`, { name: 'Website' })
    expect(await names(page)).toEqual(['Renamed', 'Website'])
  })

  it('400: a cycle, a tree that gets too deep, another type or service', async () => {
    const page = await newPage()
    const outer = await group(page, 'Outer')
    const inner = await group(page, 'Inner', outer.id)
    const other = await group(page, 'Other', (await group(page, 'Parent')).id)
    const put = async (id: string, body: object) =>
      (await api.alice.put(`${page.path}/${id}`, body)).body.attributes
    for (const parentId of [outer.id, inner.id])
      expect(await put(outer.id, { parentId })).toEqual({
        parentId: "can't be the component itself, nor be in it",
      })
    expect(await put(outer.id, { parentId: other.id })).toEqual({
      parentId: 'is too deep: a page has at most 3 levels',
    })
    expect(Object.keys(await put(outer.id, { type: 'SERVICE', serviceId: randomUUID() }))).toEqual([
      'type',
      'serviceId',
    ])
    expect(await names(page)).toEqual(['Outer', 'Inner', 'Parent', 'Other'])
  })

  it('200: two moves at the same moment make no cycle', async () => {
    const page = await newPage()
    const [one, two] = [await group(page, 'One'), await group(page, 'Two')]
    const responses = await Promise.all([
      api.alice.put(`${page.path}/${one.id}`, { parentId: two.id }),
      api.alice.put(`${page.path}/${two.id}`, { parentId: one.id }),
    ])
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(await names(page)).toHaveLength(2)
  })

  it('404: another account, another page', async () => {
    const [page, other] = [await newPage(), await newPage()]
    const { id } = await group(page, 'Mine')
    expect((await api.bob.put(`${page.path}/${id}`, { name: 'x' })).status).toBe(404)
    expect((await api.bob.get(`${page.path}/${id}`)).status).toBe(404)
    expect((await api.alice.put(`${other.path}/${id}`, { name: 'x' })).status).toBe(404)
    expect(await names(page)).toEqual(['Mine'])
  })
})

describe('DELETE /v1/status-pages/{statusPageId}/components/{componentId}', () => {
  it('204: deletes a service of its own, not one of the account', async () => {
    const owner = await api.newAccount()
    const page = await newPage({ version: 3 }, owner)
    const { id: serviceId } = (await owner.post(`${pages}/services`, { name: 'Shared' })).body
    const ids = [(await add(page, { name: 'Own' }, owner)).id, (await add(page, { serviceId }, owner)).id]
    for (const id of ids) expect((await owner.delete(`${page.path}/${id}`)).status).toBe(204)
    expect((await owner.delete(`${page.path}/${ids[0]}`)).status).toBe(404)
    expect(await servicesOf(owner)).toEqual(['Shared'])
  })

  it('204: a service of its own stays while another component shows it, and in the history of incidents', async () => {
    const [page, other] = [await newPage(), await newPage()]
    const own = await add(page, { name: 'Own' })
    const shown = await add(other, { serviceId: own.serviceId })
    const named = await add(page, { name: 'Named' })
    const incident = (
      await api.alice.post(`${pages}/incidents`, {
        ...{ name: 'Down', severity: 'MINOR', services: [{ id: named.serviceId }] },
        incidentUpdates: [{ description: 'We look' }],
      })
    ).body
    for (const { id } of [own, named]) await api.alice.delete(`${page.path}/${id}`)
    expect((await api.alice.get(`${other.path}/${shown.id}`)).body.name).toBe('Own')
    expect((await api.alice.get(`${pages}/services/${named.serviceId}`)).status).toBe(404)
    expect((await api.alice.get(`${pages}/incidents/${incident.id}`)).body.services).toMatchObject([
      { name: 'Named' },
    ])
  })

  it('204: no maintenance window names a service that is deleted with its component', async () => {
    const page = await newPage()
    const [own, kept] = [await add(page, { name: 'Own' }), await add(page, { name: 'Kept' })]
    const window = await api.alice.post('/v1/maintenance-windows', {
      ...{ name: 'Upgrade', startsAt: '2040-01-01T00:00:00Z', endsAt: '2040-01-01T01:00:00Z' },
      statusPageVisibility: { serviceIds: [own.serviceId, kept.serviceId] },
    })
    expect(window.status, window.text).toBe(201)
    expect((await api.alice.delete(`${page.path}/${own.id}`)).status).toBe(204)
    const { body } = await api.alice.get(`/v1/maintenance-windows/${window.body.id}`)
    expect(body.statusPageVisibility.serviceIds).toEqual([kept.serviceId])
  })

  it('204: a deleted page takes the services of its components with it', async () => {
    const owner = await api.newAccount()
    const page = await newPage({ version: 3 }, owner)
    await add(page, { name: 'Own' }, owner)
    expect((await owner.delete(`${pages}/${page.id}`)).status).toBe(204)
    expect(await servicesOf(owner)).toEqual([])
  })

  it('409: a group that has components', async () => {
    const page = await newPage()
    const outer = await group(page, 'Outer')
    const inner = await group(page, 'Inner', outer.id)
    const { status, body } = await api.alice.delete(`${page.path}/${outer.id}`)
    expect([status, body.attributes]).toEqual([409, { components: [inner.id] }])
    expect((await api.alice.delete(`${page.path}/${inner.id}`)).status).toBe(204)
    expect((await api.alice.delete(`${page.path}/${outer.id}`)).status).toBe(204)
  })

  it('404: another account; 403: a reader', async () => {
    const page = await newPage()
    const { id } = await group(page, 'Mine')
    expect((await api.bob.delete(`${page.path}/${id}`)).status).toBe(404)
    expect((await (await api.as('READ_ONLY')).delete(`${page.path}/${id}`)).status).toBe(403)
    expect(await names(page)).toEqual(['Mine'])
  })
})
