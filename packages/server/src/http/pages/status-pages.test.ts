import { randomUUID } from 'node:crypto'
import { StatusPageColors } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashKey } from '../../storage/accounts/api-keys.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const path = '/v1/status-pages'
const newUrl = () => `p-${randomUUID().slice(0, 13)}`
const valid = () => ({ name: 'Shop', url: newUrl(), cards: [] as object[] })
const create = async (body: object = {}, caller = api.alice) =>
  (await caller.post(path, { ...valid(), ...body })).body
const newService = async (name = 'API', caller = api.alice) =>
  (await caller.post(`${path}/services`, { name })).body
const colors = (color: string) =>
  Object.fromEntries(Object.keys(StatusPageColors.shape).map((name) => [name, color]))

async function openIncident(serviceIds: string[], name = 'Down') {
  const services = serviceIds.map((id) => ({ id }))
  const body = { name, severity: 'MINOR', services, incidentUpdates: [{ description: 'We look' }] }
  return (await api.alice.post(`${path}/incidents`, body)).body
}

describe('POST /v1/status-pages', () => {
  it('201: name, url and cards are enough', async () => {
    const sent = valid()
    const { status, body } = await api.alice.post(path, sent)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      accountId: api.alice.accountId,
      name: 'Shop',
      url: sent.url,
      description: null,
      customDomain: null,
      customDomainStatus: null,
      logo: null,
      logoDark: null,
      favicon: null,
      redirectTo: null,
      defaultTheme: 'AUTO',
      themeColors: null,
      privacyPolicyLink: null,
      termsOfServiceLink: null,
      supportLink: null,
      footerText: null,
      googleAnalyticsTag: null,
      allowIndexing: true,
      isPrivate: false,
      whiteLabel: false,
      version: 2,
      cards: [],
      components: [],
      keys: [],
      incidents: [],
      created_at: expect.any(String),
      updated_at: null,
    })
  })

  it('201: every field reads back, colours in upper case and cards in their order', async () => {
    const [one, two] = [await newService('one'), await newService('two')]
    const sent = {
      ...valid(),
      description: 'd'.repeat(500),
      customDomain: 'status.example.com',
      logo: 'https://example.com/l.png',
      logoDark: 'https://example.com/ld.png',
      favicon: 'https://example.com/f.ico',
      redirectTo: 'http://example.com',
      defaultTheme: 'DARK',
      privacyPolicyLink: 'https://example.com/privacy',
      termsOfServiceLink: 'https://example.com/terms',
      supportLink: 'https://example.com/help',
      footerText: 'f'.repeat(500),
      googleAnalyticsTag: 'G-1',
      allowIndexing: false,
      themeColors: { light: colors('#0af'), dark: colors('#00aaff') },
      cards: [
        { name: 'Second first', services: [{ id: two.id }, { id: one.id.toUpperCase() }] },
        { name: 'Empty' },
        { name: 'Again', services: [{ id: one.id }] },
      ],
    }
    const { status, body } = await api.alice.post(path, sent)
    expect(status).toBe(201)
    const { cards, themeColors, ...plain } = sent
    expect(body).toMatchObject(plain)
    expect(body.themeColors).toEqual({ light: colors('#0AF'), dark: colors('#00AAFF') })
    expect(body.cards).toMatchObject([
      { name: 'Second first', services: [two, one] },
      { name: 'Empty', services: [] },
      { name: 'Again', services: [one] },
    ])
    expect(cards).toHaveLength(body.cards.length)
    expect((await api.alice.get(`${path}/${body.id}`)).body).toEqual(body)
  })

  it('200: a page that an earlier release saved has the defaults of later fields', async () => {
    const page = await create()
    const later = ['logoDark', 'privacyPolicyLink', 'supportLink', 'footerText', 'allowIndexing']
    await api.store.pool.query('update status_pages set settings = settings - $1::text[] where id = $2', [
      later,
      page.id,
    ])
    expect((await api.alice.get(`${path}/${page.id}`)).body).toEqual(page)
  })

  it('201: a private page shows its key whole, once, and only a hash is stored', async () => {
    const body = await create({ isPrivate: true })
    const { rawKey, ...masked } = body.keys[0]
    expect(rawKey).toMatch(/^vp_/)
    expect(masked.maskedKey).toBe(`...${rawKey.slice(-4)}`)
    expect((await api.alice.get(`${path}/${body.id}`)).body.keys).toEqual([masked])
    const stored = await api.store.db
      .selectFrom('status_page_keys')
      .selectAll()
      .where('id', '=', masked.id)
      .execute()
    expect(stored[0]?.hash).toEqual(hashKey(rawKey))
    expect(JSON.stringify(stored)).not.toContain(rawKey)
  })

  it('400: names every wrong field', async () => {
    const { id } = await newService()
    const { status, body } = await api.alice.post(path, {
      url: 'two words',
      description: 'd'.repeat(501),
      customDomain: 'https://example.com',
      logo: 'data:image/png;base64,AAAA',
      redirectTo: 'javascript:alert(1)',
      supportLink: 'javascript:alert(1)//help@example.com',
      privacyPolicyLink: 'mailto:help@example.com',
      footerText: 'f'.repeat(501),
      defaultTheme: 'BLUE',
      themeColors: { light: { ...colors('#FFF'), borderColor: 'red' } },
      cards: [{ name: '', services: [{ id }, { id }] }, { services: [{ id: 'x' }] }],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).toSorted()).toEqual([
      'cards.0.name',
      'cards.0.services.1.id',
      'cards.1.name',
      'cards.1.services.0.id',
      'customDomain',
      'defaultTheme',
      'description',
      'footerText',
      'logo',
      'name',
      'privacyPolicyLink',
      'redirectTo',
      'supportLink',
      'themeColors.light.borderColor',
      'url',
    ])
  })

  it('400: names the services that the account does not have, and stores nothing', async () => {
    const [mine, theirs] = [await newService(), await newService('theirs', api.bob)]
    const sent = {
      ...valid(),
      cards: [
        { name: 'A', services: [mine] },
        { name: 'B', services: [mine, theirs] },
      ],
    }
    const { status, body } = await api.alice.post(path, sent)
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ 'cards.1.services.1.id': "isn't a service of this account" })
    expect((await api.bob.post(path, { ...valid(), url: sent.url })).status).toBe(201)
  })

  it('403: a reader creates nothing', async () => {
    expect((await (await api.as('READ_ONLY')).post(path, valid())).status).toBe(403)
  })

  it('409: an address is unique across accounts, ignoring case', async () => {
    const { url } = await create({ customDomain: 'one.example.com' })
    const byUrl = await api.bob.post(path, { ...valid(), url: url.toUpperCase() })
    expect(byUrl.status).toBe(409)
    expect(byUrl.body.attributes).toEqual({ url: 'is taken already' })
    const byDomain = await api.bob.post(path, { ...valid(), customDomain: 'ONE.example.com' })
    expect(byDomain.status).toBe(409)
    expect(byDomain.body.attributes).toEqual({ customDomain: 'is taken already' })
  })
})

describe('GET /v1/status-pages', () => {
  it('200: by cursor, newest first, each with its cards', async () => {
    const owner = await api.newAccount()
    const service = await newService('API', owner)
    const created: { id: string }[] = []
    for (let index = 0; index < 3; index++) {
      created.push(
        await create({ cards: [{ name: `c${index}`, services: [service] }], isPrivate: true }, owner),
      )
    }
    const first = await owner.get(`${path}?limit=2`)
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ length: 3, nextId: expect.any(String) })
    const second = (await owner.get(`${path}?limit=2&nextId=${first.body.nextId}`)).body
    expect(second).toMatchObject({ length: 3, nextId: null })
    const all = [...first.body.entries, ...second.entries]
    expect(all.map((page) => page.id)).toEqual(created.toReversed().map((page) => page.id))
    expect(all.map((page) => page.cards[0].name)).toEqual(['c2', 'c1', 'c0'])
    expect(all[0].cards[0].services).toEqual([service])
    expect(all[0].keys[0]).not.toHaveProperty('rawKey')
  })

  it('400: refuses an invalid cursor', async () => {
    expect((await api.alice.get(`${path}?nextId=abc`)).body.attributes).toHaveProperty('nextId')
  })
})

describe('GET /v1/status-pages/{statusPageId}', () => {
  it('200: shows the incidents that touch its services, latest first, each once', async () => {
    const [one, two, other] = [await newService('one'), await newService('two'), await newService('other')]
    const cards = [
      { name: 'A', services: [one, two] },
      { name: 'B', services: [one] },
    ]
    const page = await create({ cards })
    const older = await openIncident([one.id, two.id], 'older')
    await openIncident([other.id], 'elsewhere')
    const newer = await openIncident([two.id], 'newer')
    const { body } = await api.alice.get(`${path}/${page.id}`)
    expect(body.incidents).toEqual([newer, older])
    const otherPage = await create({ cards: [{ name: 'A', services: [one] }] })
    expect(otherPage.incidents).toEqual([older])
  })

  it('404: another account sees nothing', async () => {
    const { id } = await create()
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
  })
})

describe('PUT /v1/status-pages/{statusPageId}', () => {
  it('200: replaces the page: what is not sent returns to its default', async () => {
    const before = await create({ description: 'Old', defaultTheme: 'DARK', customDomain: 'old.example.com' })
    const sent = { name: 'New', url: before.url, cards: [] }
    const { status, body } = await api.alice.put(`${path}/${before.id}`, sent)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      name: 'New',
      description: null,
      defaultTheme: 'AUTO',
      customDomain: null,
      customDomainStatus: null,
      updated_at: expect.any(String),
    })
  })

  it('200: cards sent with their id are kept, others are created or removed', async () => {
    const [one, two] = [await newService('one'), await newService('two')]
    const before = await create({
      cards: [
        { name: 'A', services: [one] },
        { name: 'B', services: [one] },
      ],
    })
    const foreign = await create({ cards: [{ name: 'Foreign' }] })
    const [, cardB] = before.cards
    const { body } = await api.alice.put(`${path}/${before.id}`, {
      name: before.name,
      url: before.url,
      cards: [
        { id: cardB.id, name: 'B2', services: [two] },
        { id: foreign.cards[0].id, name: 'C', services: [one] },
      ],
    })
    expect(body.cards).toMatchObject([
      {
        id: cardB.id,
        name: 'B2',
        services: [two],
        created_at: cardB.created_at,
        updated_at: expect.any(String),
      },
      { name: 'C', services: [one], updated_at: null },
    ])
    expect(body.cards[1].id).not.toBe(foreign.cards[0].id)
    expect((await api.alice.get(`${path}/${foreign.id}`)).body).toEqual(foreign)
  })

  it('200: a private page stays private by default, and gets a new key when it becomes private again', async () => {
    const page = await create({ isPrivate: true })
    const put = async (body: object) =>
      (await api.alice.put(`${path}/${page.id}`, { name: 'P', url: page.url, cards: [], ...body })).body
    const { rawKey, ...masked } = page.keys[0]
    expect(rawKey).toEqual(expect.any(String))
    expect(await put({})).toMatchObject({ isPrivate: true, keys: [masked] })
    expect(await put({ isPrivate: false })).toMatchObject({ isPrivate: false, keys: [] })
    const again = await put({ isPrivate: true })
    expect(again.keys).toMatchObject([{ rawKey: expect.stringMatching(/^vp_/) }])
    expect(again.keys[0].id).not.toBe(masked.id)
  })

  it('200: two replacements at the same moment never mix', async () => {
    const { id, url } = await create()
    const services = await Promise.all(['a', 'b', 'c'].map((name) => newService(name)))
    const bodies = ['one', 'two', 'three', 'four'].map((name) => ({
      name,
      url,
      cards: services.map((service) => ({ name, services: [service] })),
    }))
    const responses = await Promise.all(bodies.map((body) => api.alice.put(`${path}/${id}`, body)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { name, cards } = (await api.alice.get(`${path}/${id}`)).body
    expect(cards.map((card: { name: string }) => card.name)).toEqual([name, name, name])
  })

  it('400: names every wrong field', async () => {
    const { id } = await create()
    const { status, body } = await api.alice.put(`${path}/${id}`, { isPrivate: 'no' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).toSorted()).toEqual(['cards', 'isPrivate', 'name', 'url'])
  })

  it('400: a card id must be unique', async () => {
    const before = await create({ cards: [{ name: 'A' }] })
    const card = { id: before.cards[0].id, name: 'A' }
    const { status, body } = await api.alice.put(`${path}/${before.id}`, { ...valid(), cards: [card, card] })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ 'cards.1.id': 'is listed twice' })
  })

  it('400: names the services that the account does not have, and changes nothing', async () => {
    const before = await create({ cards: [{ name: 'A' }] })
    const cards = [{ name: 'B', services: [await newService('theirs', api.bob)] }]
    const { status, body } = await api.alice.put(`${path}/${before.id}`, { ...valid(), cards })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['cards.0.services.0.id'])
    expect((await api.alice.get(`${path}/${before.id}`)).body).toEqual(before)
  })

  it('403: a reader replaces nothing', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_ONLY')).put(`${path}/${id}`, valid())).status).toBe(403)
  })

  it('404: another account replaces nothing', async () => {
    const { id } = await create()
    expect((await api.bob.put(`${path}/${id}`, valid())).status).toBe(404)
  })

  it('409: a duplicate address leaves the page unchanged', async () => {
    const [before, other] = [await create({ cards: [{ name: 'A' }] }), await create()]
    const { status, body } = await api.alice.put(`${path}/${before.id}`, { ...valid(), url: other.url })
    expect(status).toBe(409)
    expect(body.attributes).toEqual({ url: 'is taken already' })
    expect((await api.alice.get(`${path}/${before.id}`)).body).toEqual(before)
  })
})

describe('DELETE /v1/status-pages/{statusPageId}', () => {
  it('204: removes it and frees its address; a second time is 404', async () => {
    const service = await newService()
    const { id, url } = await create({ cards: [{ name: 'A', services: [service] }], isPrivate: true })
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/services/${service.id}`)).status).toBe(200)
    expect((await api.bob.post(path, { ...valid(), url })).status).toBe(201)
  })

  it('403: a reader removes nothing', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_ONLY')).delete(`${path}/${id}`)).status).toBe(403)
  })

  it('404: another account removes nothing', async () => {
    const { id } = await create()
    expect((await api.bob.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${id}`)).status).toBe(200)
  })
})
