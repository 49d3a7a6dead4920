import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const path = '/v1/private-locations'
const secretProxy = 'http://proxy-user:p@ss-word@proxy.example.com:3128'
let count = 0
const valid = (more: object = {}) => ({ name: 'Office', slugName: `office-${count++}-x`, ...more })

async function create(caller: Caller = api.alice, more: object = {}) {
  const { status, body } = await caller.post(path, valid(more))
  expect(status).toBe(201)
  return body
}

describe('POST /v1/private-locations', () => {
  it('201: returns the location and its first key, which is never shown again', async () => {
    const input = valid()
    const { status, body } = await api.alice.post(path, input)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...input,
      id: expect.any(String),
      icon: 'location',
      proxyUrl: null,
      created_at: expect.any(String),
      updated_at: null,
      keys: [
        {
          id: expect.any(String),
          rawKey: expect.stringMatching(/^pl_[0-9a-f]{32}$/),
          maskedKey: `...${body.keys[0].rawKey.slice(-4)}`,
          created_at: expect.any(String),
          updated_at: body.keys[0].created_at,
        },
      ],
      lastSeen: null,
      agentCount: 0,
      minAgentVersion: null,
      runningAgents: [],
    })
    const { rawKey: _, ...key } = body.keys[0]
    expect((await api.alice.get(`${path}/${body.id}`)).body).toEqual({ ...body, keys: [key] })
  })

  it('201: proxy URLs may contain credentials and variables', async () => {
    const urls = [
      secretProxy,
      'https://proxy:8443',
      '{{PROXY_URL}}',
      'http://{{USER}}:{{PASSWORD}}@proxy:{{PORT}}',
    ]
    for (const proxyUrl of urls) {
      const { id } = await create(api.alice, { proxyUrl })
      expect((await api.alice.get(`${path}/${id}`)).body.proxyUrl).toBe(proxyUrl)
    }
  })

  it('201: neither proxy credentials nor keys can be read in the tables', async () => {
    const { keys } = await create(api.alice, { proxyUrl: secretProxy })
    const { rows } = await api.store.pool.query(
      'select l::text, k::text from private_locations l, private_location_keys k',
    )
    const text = JSON.stringify(rows)
    expect(text).toContain('$sealed')
    for (const secret of ['proxy-user', 'p@ss-word', 'proxy.example.com', keys[0].rawKey]) {
      expect(text).not.toContain(secret)
    }
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post(path, { slugName: 'a b', icon: 5, proxyUrl: 'ftp://proxy' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['icon', 'name', 'proxyUrl', 'slugName'])
  })

  it.each([
    '',
    'x'.repeat(31),
    'a_b',
    'a.b',
    'ümlaut',
    'eu-west-1',
    'EU-West-1',
    'zz-nowhere-1',
    'us-gov-west-1',
  ])('400: refuses the slug "%s"', async (slugName) => {
    const { status, body } = await api.alice.post(path, valid({ slugName }))
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['slugName'])
  })

  it.each(['tf-test-pl-d-60144', 'dc-rack-12', 'x'])('201: accepts the slug "%s"', async (slugName) => {
    expect((await api.alice.post(path, valid({ slugName }))).status).toBe(201)
  })

  it("402: the account isn't entitled to more", async () => {
    const hobby = await api.newAccount('hobby')
    expect((await hobby.post(path, valid())).status).toBe(402)
    const starter = await api.newAccount('starter')
    await create(starter)
    const { status, body } = await starter.post(path, valid())
    expect(status).toBe(402)
    expect(body.attributes).toEqual({ entitlement: 'PRIVATE_LOCATIONS', quantity: 1 })
  })

  it('403: needs the role ADMIN', async () => {
    const writer = await api.as('READ_WRITE')
    expect((await writer.post(path, valid())).status).toBe(403)
    expect((await (await api.as('ADMIN')).post(path, valid())).status).toBe(201)
  })

  it('409: a slug is unique in its account', async () => {
    const { slugName } = await create()
    const { status, body } = await api.alice.post(path, valid({ slugName }))
    expect(status).toBe(409)
    expect(body.attributes).toEqual({ slugName: 'is taken' })
    expect((await api.bob.post(path, valid({ slugName }))).status).toBe(201)
  })
})

describe('GET /v1/private-locations', () => {
  it('200: lists the locations of the account; versions=true adds those of the agents', async () => {
    const owner = await api.newAccount()
    const first = await create(owner)
    const second = await create(owner)
    const { status, body } = await owner.get(path)
    expect(status).toBe(200)
    expect(body.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id])
    expect(body[0].keys).toMatchObject([{ id: first.keys[0].id }])
    expect(body[0]).not.toHaveProperty('runningAgents')
    const [detailed] = (await owner.get(`${path}?versions=true`)).body
    expect(detailed).toMatchObject({ minAgentVersion: null, runningAgents: [] })
  })

  it('400: versions is true or false', async () => {
    expect((await api.alice.get(`${path}?versions=maybe`)).body.attributes).toHaveProperty('versions')
  })
})

describe('GET /v1/private-locations/{id}', () => {
  it('200: keys that only read see proxy credentials masked', async () => {
    const { id } = await create(api.alice, { proxyUrl: secretProxy })
    for (const role of ['READ_ONLY', 'READ_RUN'] as const) {
      const reader = await api.as(role)
      expect((await reader.get(`${path}/${id}`)).body.proxyUrl).toBe('http://***:***@proxy.example.com:3128')
      expect((await reader.get(path)).text).not.toContain('ss-word')
    }
    const writer = await api.as('READ_WRITE')
    expect((await writer.get(`${path}/${id}`)).body.proxyUrl).toBe(secretProxy)
  })

  it('400: an invalid id', async () => {
    expect((await api.alice.get(`${path}/5`)).status).toBe(400)
  })

  it('404: another account sees nothing', async () => {
    const { id } = await create()
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${randomUUID()}`)).status).toBe(404)
  })
})

describe('PUT /v1/private-locations/{id}', () => {
  it('200: changes only what is sent; the slug stays', async () => {
    const location = await create(api.alice, { icon: 'building', proxyUrl: secretProxy })
    const one = `${path}/${location.id}`
    const renamed = await api.alice.put(one, { name: 'Basel', slugName: 'other' })
    expect(renamed.status).toBe(200)
    expect(renamed.body).toMatchObject({
      name: 'Basel',
      slugName: location.slugName,
      icon: 'building',
      proxyUrl: secretProxy,
      updated_at: expect.any(String),
    })
    expect(renamed.body.keys[0]).not.toHaveProperty('rawKey')
    expect((await api.alice.get(one)).body).toEqual(renamed.body)
    expect((await api.alice.put(one, { proxyUrl: null })).body).toMatchObject({
      name: 'Basel',
      proxyUrl: null,
    })
  })

  it('400: names every wrong field', async () => {
    const { id } = await create()
    const { status, body } = await api.alice.put(`${path}/${id}`, { name: '', proxyUrl: 'nonsense' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['name', 'proxyUrl'])
  })

  it('403 and 404: neither writers nor another account', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_WRITE')).put(`${path}/${id}`, { name: 'x' })).status).toBe(403)
    expect((await api.bob.put(`${path}/${id}`, { name: 'x' })).status).toBe(404)
  })
})

describe('DELETE /v1/private-locations/{id}', () => {
  it('204: removes it with its keys; a second time is 404', async () => {
    const { id } = await create()
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(404)
    const keys = api.store.pool.query('select 1 from private_location_keys where private_location_id = $1', [
      id,
    ])
    expect((await keys).rows).toEqual([])
  })

  it('403 and 404: neither writers nor another account', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_WRITE')).delete(`${path}/${id}`)).status).toBe(403)
    expect((await api.bob.delete(`${path}/${id}`)).status).toBe(404)
  })

  it('409: while a group or check of the account runs in it', async () => {
    const owner = await api.newAccount()
    const { id, slugName } = await create(owner)
    await insertGroup(owner.accountId, ['elsewhere', slugName])
    expect((await owner.delete(`${path}/${id}`)).status).toBe(409)
    await api.store.pool.query('delete from check_groups where account_id = $1', [owner.accountId])
    await insertCheck(owner.accountId, [slugName])
    expect((await owner.delete(`${path}/${id}`)).status).toBe(409)
    await api.store.pool.query('delete from checks where account_id = $1', [owner.accountId])
    await insertCheck(api.bob.accountId, [slugName])
    expect((await owner.delete(`${path}/${id}`)).status).toBe(204)
  })
})

describe('POST and DELETE /v1/private-locations/{id}/keys', () => {
  it('201: issues a second key; 409: refuses a third', async () => {
    const { id, keys } = await create()
    const second = await api.alice.post(`${path}/${id}/keys`)
    expect(second.status).toBe(201)
    expect(second.body.rawKey).toMatch(/^pl_/)
    const shown = (await api.alice.get(`${path}/${id}`)).body.keys
    expect(shown.map((key: { id: string }) => key.id)).toEqual([keys[0].id, second.body.id])
    expect(shown.some((key: object) => 'rawKey' in key)).toBe(false)
    const third = await api.alice.post(`${path}/${id}/keys`)
    expect(third.status).toBe(409)
    expect(third.body.message).toMatch(/at most 2 keys/)
  })

  it('409: of several requests at once, one gets the second key', async () => {
    const { id } = await create()
    const responses = await Promise.all([1, 2, 3].map(() => api.alice.post(`${path}/${id}/keys`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  it('402: no more keys if the account lost its entitlement', async () => {
    const owner = await api.newAccount()
    const { id } = await create(owner)
    await api.store.pool.query("update accounts set plan = 'hobby' where id = $1", [owner.accountId])
    expect((await owner.post(`${path}/${id}/keys`)).status).toBe(402)
    await api.store.pool.query("update accounts set plan = 'starter' where id = $1", [owner.accountId])
    expect((await owner.post(`${path}/${id}/keys`)).status).toBe(201)
  })

  it('204: revokes a key, so that another can be issued; a second time is 404', async () => {
    const { id, keys } = await create()
    await api.alice.post(`${path}/${id}/keys`)
    expect((await api.alice.delete(`${path}/${id}/keys/${keys[0].id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${id}/keys/${keys[0].id}`)).status).toBe(404)
    expect((await api.alice.post(`${path}/${id}/keys`)).status).toBe(201)
  })

  it('403 and 404: neither writers, nor another account, nor through another location', async () => {
    const { id, keys } = await create()
    const other = await create()
    const writer = await api.as('READ_WRITE')
    expect((await writer.post(`${path}/${id}/keys`)).status).toBe(403)
    expect((await writer.delete(`${path}/${id}/keys/${keys[0].id}`)).status).toBe(403)
    expect((await api.bob.post(`${path}/${id}/keys`)).status).toBe(404)
    expect((await api.bob.delete(`${path}/${id}/keys/${keys[0].id}`)).status).toBe(404)
    expect((await api.alice.delete(`${path}/${other.id}/keys/${keys[0].id}`)).status).toBe(404)
  })
})

async function insertGroup(accountId: string, slugs: string[]): Promise<void> {
  await api.store.db
    .insertInto('check_groups')
    .values({
      account_id: accountId,
      name: 'group',
      activated: true,
      muted: false,
      tags: [],
      locations: [],
      private_locations: slugs,
      concurrency: 3,
      double_check: false,
      settings: '{}',
    })
    .execute()
}

async function insertCheck(accountId: string, slugs: string[]): Promise<void> {
  await api.store.db
    .insertInto('checks')
    .values({
      id: randomUUID(),
      account_id: accountId,
      check_type: 'API',
      name: 'check',
      activated: true,
      muted: false,
      should_fail: false,
      double_check: false,
      private_locations: slugs,
      tags: [],
      frequency: 10,
      run_parallel: false,
      use_global_alert_settings: true,
      settings: '{}',
    })
    .execute()
}
