import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashKey } from '../../storage/accounts/api-keys.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const defaults = {
  customDomain: null,
  customDomainStatus: null,
  logo: null,
  favicon: null,
  description: null,
  width: 'FULL',
  refreshRate: 60,
  paginate: true,
  paginationRate: 60,
  checksPerPage: 15,
  useTagsAndOperator: false,
  hideTags: false,
  enableIncidents: false,
  expandChecks: false,
  tags: [],
  showHeader: true,
  showCheckRunLinks: false,
  showGroupNames: true,
  customCSS: '',
  isPrivate: false,
  showP95: true,
  showP99: true,
  keys: [],
}

const full = {
  header: 'Läden 🛒',
  customUrl: 'Shop-1',
  customDomain: 'dash.example.com',
  logo: 'https://example.com/logo.png',
  favicon: 'https://example.com/favicon.ico',
  link: 'http://example.com/?a=1#b',
  description: 'All shops',
  width: '960PX',
  refreshRate: 600,
  paginate: false,
  paginationRate: 300,
  checksPerPage: null,
  useTagsAndOperator: null,
  hideTags: true,
  enableIncidents: true,
  expandChecks: true,
  tags: ['a,b', '"quoted"', '{curly}'],
  showHeader: false,
  showCheckRunLinks: true,
  showGroupNames: false,
  customCSS: null,
  showP95: false,
  showP99: false,
}

const create = async (body: object = {}, caller = api.alice) =>
  (await caller.post('/v1/dashboards', { header: 'Shop', ...body })).body

describe('POST /v1/dashboards', () => {
  it('201: a header is enough, the rest has defaults', async () => {
    const { status, body } = await api.alice.post('/v1/dashboards', { header: 'Shop' })
    expect(status).toBe(201)
    expect(body).toEqual({
      ...defaults,
      header: 'Shop',
      id: expect.any(Number),
      dashboardId: expect.stringMatching(/^[0-9a-f]{8}$/),
      created_at: expect.any(String),
    })
  })

  it('201: every field reads back as it was sent', async () => {
    const { status, body } = await api.alice.post('/v1/dashboards', full)
    expect(status).toBe(201)
    expect(body).toMatchObject(full)
    expect((await api.alice.get(`/v1/dashboards/${body.dashboardId}`)).body).toEqual(body)
  })

  it("201: empty addresses are null, and don't collide", async () => {
    for (let times = 0; times < 2; times++) {
      const body = await create({ customUrl: '', customDomain: '', logo: '', favicon: '', link: '' })
      expect(body).toMatchObject({ customDomain: null, logo: null, favicon: null })
      expect(body).not.toHaveProperty('customUrl')
      expect(body).not.toHaveProperty('link')
    }
  })

  it('201: a private one shows its first key whole; keys in the body are ignored', async () => {
    const body = await create({ isPrivate: true, keys: [{ rawKey: 'mine' }] })
    expect(body.keys).toEqual([
      {
        id: expect.any(String),
        rawKey: expect.stringMatching(/^vd_/),
        maskedKey: `...${body.keys[0].rawKey.slice(-4)}`,
        created_at: expect.any(String),
        updated_at: body.keys[0].created_at,
      },
    ])
    const { rawKey, ...masked } = body.keys[0]
    const readBy = async (caller: TestApi['alice']) =>
      (await caller.get(`/v1/dashboards/${body.dashboardId}`)).body.keys
    expect(await readBy(api.alice)).toEqual([{ ...masked, rawKey }])
    expect(await readBy(await api.as('READ_WRITE'))).toEqual([{ ...masked, rawKey }])
    expect(await readBy(await api.as('READ_RUN'))).toEqual([masked])
    expect(await readBy(await api.as('READ_ONLY'))).toEqual([masked])
    const stored = await api.store.db
      .selectFrom('dashboard_keys')
      .selectAll()
      .where('id', '=', masked.id)
      .execute()
    expect(stored[0]?.hash).toEqual(hashKey(rawKey))
    expect(JSON.stringify(stored)).not.toContain(rawKey)
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post('/v1/dashboards', {
      customUrl: 'no dots.here',
      customDomain: 'nodots',
      logo: 'ftp://example.com/x.png',
      link: 'javascript:alert(1)',
      width: 'WIDE',
      refreshRate: 61,
      paginationRate: '30',
      checksPerPage: 21,
      tags: [''],
      isPrivate: 'yes',
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'checksPerPage',
      'customDomain',
      'customUrl',
      'header',
      'isPrivate',
      'link',
      'logo',
      'paginationRate',
      'refreshRate',
      'tags.0',
      'width',
    ])
  })

  it('403: a key that may only run checks creates nothing', async () => {
    const runner = await api.as('READ_RUN')
    expect((await runner.post('/v1/dashboards', { header: 'Shop' })).status).toBe(403)
  })

  it('409: a custom URL or domain is unique across accounts, ignoring case', async () => {
    await create({ customUrl: 'taken', customDomain: 'taken.example.com' })
    const url = await api.bob.post('/v1/dashboards', { header: 'Mine', customUrl: 'TAKEN' })
    expect(url.status).toBe(409)
    expect(url.body).toMatchObject({
      message: '"customUrl" is taken already.',
      attributes: { customUrl: expect.any(String) },
    })
    const domain = await api.bob.post('/v1/dashboards', { header: 'Mine', customDomain: 'Taken.Example.com' })
    expect(domain.status).toBe(409)
    expect(domain.body.attributes).toEqual({ customDomain: 'is taken already' })
  })

  it('409: a custom name cannot be the id of another dashboard', async () => {
    const { dashboardId } = await create()
    const { status, body } = await api.bob.post('/v1/dashboards', { header: 'Mine', customUrl: dashboardId })
    expect(status).toBe(409)
    expect(body.attributes).toEqual({ customUrl: 'is taken already' })
  })
})

describe('GET /v1/dashboards', () => {
  it('200: pages over the own dashboards', async () => {
    const owner = await api.newAccount()
    for (const header of ['a', 'b', 'c']) await create({ header, isPrivate: true }, owner)
    const { status, body, headers } = await owner.get('/v1/dashboards?limit=2&page=2')
    expect(status).toBe(200)
    expect(body).toMatchObject([{ header: 'c', keys: [{ maskedKey: expect.any(String) }] }])
    expect(headers.get('content-range')).toBe('items 2-2/3')
  })
})

describe('GET /v1/dashboards/{dashboardId}', () => {
  it('200: by id, custom name or custom domain', async () => {
    const created = await create({ customUrl: 'By-Name', customDomain: 'By.example.com' })
    const read = async (path: string) => (await api.alice.get(`/v1/dashboards/${path}`)).body
    expect(await read(`${created.dashboardId}?type=dashboardId`)).toEqual(created)
    expect(await read('by-name?type=customUrl')).toEqual(created)
    expect(await read('by.EXAMPLE.com?type=customDomain')).toEqual(created)
    expect((await api.alice.get('/v1/dashboards/by-name')).status).toBe(404)
  })

  it('400: refuses an unknown type', async () => {
    const { status, body } = await api.alice.get('/v1/dashboards/x?type=name')
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ type: 'must be one of dashboardId, customUrl, customDomain' })
  })

  it("404: another account can't find it by any name", async () => {
    const { dashboardId } = await create({ customUrl: 'hers', customDomain: 'hers.example.com' })
    for (const path of [dashboardId, 'hers?type=customUrl', 'hers.example.com?type=customDomain']) {
      expect((await api.bob.get(`/v1/dashboards/${path}`)).status).toBe(404)
    }
  })
})

describe('PUT /v1/dashboards/{dashboardId}', () => {
  it('200: changes only what is sent', async () => {
    const before = await create({ ...full, customUrl: 'before', customDomain: 'before.example.com' })
    const { status, body } = await api.alice.put(`/v1/dashboards/${before.dashboardId}`, { header: 'New' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, header: 'New' })
    expect((await api.alice.put(`/v1/dashboards/${before.dashboardId}`, {})).body).toEqual(body)
  })

  it('200: keeps its own custom URL, and null removes it', async () => {
    const { dashboardId } = await create({ customUrl: 'mine' })
    expect((await api.alice.put(`/v1/dashboards/${dashboardId}`, { customUrl: 'Mine' })).status).toBe(200)
    expect((await api.alice.put(`/v1/dashboards/${dashboardId}`, { customUrl: dashboardId })).status).toBe(
      200,
    )
    const { body } = await api.alice.put(`/v1/dashboards/${dashboardId}`, { customUrl: null })
    expect(body).not.toHaveProperty('customUrl')
    expect((await api.bob.post('/v1/dashboards', { header: 'Bob', customUrl: 'mine' })).status).toBe(201)
  })

  it('200: making it private issues a first key, but not a second one later', async () => {
    const { dashboardId } = await create()
    const first = await api.alice.put(`/v1/dashboards/${dashboardId}`, { isPrivate: true })
    expect(first.body.keys).toMatchObject([{ rawKey: expect.stringMatching(/^vd_/) }])
    const again = await api.alice.put(`/v1/dashboards/${dashboardId}`, { isPrivate: true })
    expect(again.body.keys).toEqual(first.body.keys)
  })

  it('200: a key of an earlier release, of which only the hash is stored, stays valid and masked', async () => {
    const { dashboardId, keys } = await create({ isPrivate: true })
    const { rawKey, ...masked } = keys[0]
    await api.store.db
      .updateTable('dashboard_keys')
      .set({ sealed_key: null })
      .where('id', '=', masked.id)
      .execute()
    const { status, body } = await api.alice.put(`/v1/dashboards/${dashboardId}`, { isPrivate: true })
    expect([status, body.keys]).toEqual([200, [masked]])
    expect(hashKey(rawKey)).toEqual(
      (
        await api.store.db.selectFrom('dashboard_keys').select('hash').where('id', '=', masked.id).execute()
      )[0]?.hash,
    )
  })

  it('400: names every wrong field', async () => {
    const { dashboardId } = await create()
    const { status, body } = await api.alice.put(`/v1/dashboards/${dashboardId}`, {
      header: null,
      checksPerPage: 0,
    })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ header: 'must be a string', checksPerPage: 'must be at least 1' })
  })

  it('403: a reader changes nothing', async () => {
    const { dashboardId } = await create()
    const reader = await api.as('READ_ONLY')
    expect((await reader.put(`/v1/dashboards/${dashboardId}`, { header: 'x' })).status).toBe(403)
  })

  it('404: another account changes nothing', async () => {
    const { dashboardId } = await create()
    expect((await api.bob.put(`/v1/dashboards/${dashboardId}`, { header: 'x' })).status).toBe(404)
  })

  it('409: a duplicate name leaves the dashboard unchanged', async () => {
    await create({ customUrl: 'occupied' })
    const before = await create()
    const { status } = await api.alice.put(`/v1/dashboards/${before.dashboardId}`, {
      header: 'x',
      customUrl: 'Occupied',
    })
    expect(status).toBe(409)
    expect((await api.alice.get(`/v1/dashboards/${before.dashboardId}`)).body).toEqual(before)
  })
})

describe('DELETE /v1/dashboards/{dashboardId}', () => {
  it('204: removes it with its keys; a second time is 404', async () => {
    const { id, dashboardId } = await create({ isPrivate: true })
    expect((await api.alice.delete(`/v1/dashboards/${dashboardId}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/dashboards/${dashboardId}`)).status).toBe(404)
    const keys = await api.store.db
      .selectFrom('dashboard_keys')
      .select('id')
      .where('dashboard_id', '=', id)
      .execute()
    expect(keys).toEqual([])
  })

  it('404: another account removes nothing', async () => {
    const { dashboardId } = await create()
    expect((await api.bob.delete(`/v1/dashboards/${dashboardId}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/dashboards/${dashboardId}`)).status).toBe(200)
  })
})

describe('POST /v1/dashboards/{dashboardId}/keys', () => {
  it('201: shows the key whole, to readers masked', async () => {
    const { dashboardId } = await create({ isPrivate: true })
    const { status, body } = await api.alice.post(`/v1/dashboards/${dashboardId}/keys`)
    expect(status).toBe(201)
    expect(body.rawKey).toMatch(/^vd_/)
    const { keys } = (await (await api.as('READ_RUN')).get(`/v1/dashboards/${dashboardId}`)).body
    expect(keys).toHaveLength(2)
    expect(JSON.stringify(keys)).not.toContain(body.rawKey)
  })

  it("403: a reader can't create a key", async () => {
    const { dashboardId } = await create()
    const reader = await api.as('READ_ONLY')
    expect((await reader.post(`/v1/dashboards/${dashboardId}/keys`)).status).toBe(403)
  })

  it("404: another account can't create a key", async () => {
    const { dashboardId } = await create()
    expect((await api.bob.post(`/v1/dashboards/${dashboardId}/keys`)).status).toBe(404)
  })

  it('409: ten are the most, also for requests at the same moment', async () => {
    const { dashboardId } = await create()
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => api.alice.post(`/v1/dashboards/${dashboardId}/keys`)),
    )
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(2)
  })
})

describe('DELETE /v1/dashboards/{dashboardId}/keys/{keyId}', () => {
  it('204: removes the key; a second time is 404', async () => {
    const { dashboardId, keys } = await create({ isPrivate: true })
    const path = `/v1/dashboards/${dashboardId}/keys/${keys[0].id}`
    expect((await api.alice.delete(path)).status).toBe(204)
    expect((await api.alice.delete(path)).status).toBe(404)
    expect((await api.alice.get(`/v1/dashboards/${dashboardId}`)).body.keys).toEqual([])
  })

  it('404: not by another account, nor through another dashboard', async () => {
    const { dashboardId, keys } = await create({ isPrivate: true })
    const other = await create()
    expect((await api.bob.delete(`/v1/dashboards/${dashboardId}/keys/${keys[0].id}`)).status).toBe(404)
    expect((await api.alice.delete(`/v1/dashboards/${other.dashboardId}/keys/${keys[0].id}`)).status).toBe(
      404,
    )
  })
})
