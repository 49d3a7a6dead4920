import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const withKey = (method: string, path: string, rawKey: string, body?: unknown) =>
  api.nobody.send(method, path, body, { authorization: `Bearer ${rawKey}` })

describe('/v1/users/me/api-keys', () => {
  const path = '/v1/users/me/api-keys'

  it('201: the whole key is shown once, works, and is stored as a hash only', async () => {
    const owner = await api.newAccount()
    const { status, body } = await owner.post(path, { name: 'laptop' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'laptop',
      rawKey: expect.stringMatching(/^vu_[0-9a-f]{32}$/),
      maskedKey: `...${body.rawKey.slice(-4)}`,
      created_at: expect.any(String),
      updated_at: null,
      lastUsedAt: null,
    })
    expect((await withKey('GET', '/v1/accounts/me', body.rawKey)).body.id).toBe(owner.accountId)
    const { rows } = await api.store.pool.query('select * from api_keys')
    expect(JSON.stringify(rows)).not.toContain(body.rawKey)
  })

  it('200: lists the own keys without their text', async () => {
    const owner = await api.newAccount()
    const { body: created } = await owner.post(path, { name: 'laptop' })
    const { status, body } = await owner.get(path)
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['test', 'laptop'])
    expect(body.every((key: object) => !('rawKey' in key) && !('role' in key))).toBe(true)
    expect((await api.bob.get(path)).body.some(({ id }: { id: string }) => id === created.id)).toBe(false)
  })

  it('204: a revoked key stops at once, also one that revokes itself', async () => {
    const owner = await api.newAccount()
    const first = (await owner.post(path, { name: 'first' })).body
    const second = (await owner.post(path, { name: 'second' })).body
    expect((await withKey('GET', path, first.rawKey)).status).toBe(200)
    expect((await owner.delete(`${path}/${first.id}`)).status).toBe(204)
    expect((await withKey('GET', path, first.rawKey)).status).toBe(401)
    expect((await withKey('DELETE', `${path}/${second.id}`, second.rawKey)).status).toBe(204)
    expect((await withKey('GET', path, second.rawKey)).status).toBe(401)
  })

  it('400: a key needs a name', async () => {
    expect((await api.alice.post(path, {})).body.attributes).toEqual({ name: 'is required' })
    expect((await api.alice.post(path, { name: '' })).status).toBe(400)
  })

  it('403: a service key has no user', async () => {
    const service = await api.as('ADMIN')
    expect((await service.get(path)).status).toBe(403)
    expect((await service.post(path, { name: 'x' })).status).toBe(403)
    expect((await service.delete(`${path}/${randomUUID()}`)).status).toBe(403)
  })

  it("404: another user's key, and a service key, are not revoked here", async () => {
    const { body: mine } = await api.alice.post(path, { name: 'mine' })
    const { body: service } = await api.alice.post('/v1/service-api-keys', { name: 's', role: 'READ_ONLY' })
    expect((await api.bob.delete(`${path}/${mine.id}`)).status).toBe(404)
    expect((await api.alice.delete(`${path}/${service.id}`)).status).toBe(404)
    expect((await withKey('GET', path, mine.rawKey)).status).toBe(200)
  })
})

describe('/v1/service-api-keys', () => {
  const path = '/v1/service-api-keys'

  it('201: the key carries its own role in this account', async () => {
    const owner = await api.newAccount()
    const { status, body } = await owner.post(path, { name: 'deploys', role: 'READ_RUN' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'deploys', role: 'READ_RUN', rawKey: expect.stringMatching(/^vs_/) })
    expect((await withKey('GET', '/v1/accounts', body.rawKey)).body).toHaveLength(1)
    expect((await withKey('POST', '/v1/snippets', body.rawKey, { name: 's', script: '' })).status).toBe(403)
  })

  it('200: lists the keys of this account only, without their text', async () => {
    const owner = await api.newAccount()
    await owner.post(path, { name: 'deploys', role: 'READ_RUN' })
    const { status, body } = await owner.get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject([{ name: 'deploys', role: 'READ_RUN' }])
    expect(body[0]).not.toHaveProperty('rawKey')
  })

  it('204: a revoked key stops at once; a second time is 404', async () => {
    const owner = await api.newAccount()
    const { body } = await owner.post(path, { name: 'deploys', role: 'ADMIN' })
    expect((await withKey('GET', path, body.rawKey)).status).toBe(200)
    expect((await withKey('DELETE', `${path}/${body.id}`, body.rawKey)).status).toBe(204)
    expect((await withKey('GET', path, body.rawKey)).status).toBe(401)
    expect((await owner.delete(`${path}/${body.id}`)).status).toBe(404)
  })

  it("400: names every wrong field; a key can't be an owner", async () => {
    const { status, body } = await api.alice.post(path, { role: 'OWNER' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['name', 'role'])
  })

  it('403: needs the role ADMIN', async () => {
    const writer = await api.as('READ_WRITE')
    expect((await writer.get(path)).status).toBe(403)
    expect((await writer.post(path, { name: 'x', role: 'READ_ONLY' })).status).toBe(403)
    expect((await writer.delete(`${path}/${randomUUID()}`)).status).toBe(403)
  })

  it("404: another account's key", async () => {
    const { body } = await api.alice.post(path, { name: 'mine', role: 'READ_ONLY' })
    expect((await api.bob.delete(`${path}/${body.id}`)).status).toBe(404)
    expect((await withKey('GET', '/v1/accounts', body.rawKey)).status).toBe(200)
  })
})

describe('GET /v1/users/me', () => {
  it('200: the person behind a user key, and the accounts with the role in each', async () => {
    const { status, body } = await api.alice.get('/v1/users/me')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: api.alice.userId,
      name: 'Owner',
      email: expect.stringContaining('@example.com'),
      accounts: [{ id: api.alice.accountId, name: 'An account', role: 'OWNER' }],
    })
  })

  it('200: a service key responds with its own name', async () => {
    const { body: key } = await api.alice.post('/v1/service-api-keys', { name: 'deploys', role: 'READ_RUN' })
    expect((await withKey('GET', '/v1/users/me', key.rawKey)).body).toEqual({
      id: key.id,
      name: 'deploys',
      email: null,
      accounts: [{ id: api.alice.accountId, name: 'An account', role: 'READ_RUN' }],
    })
  })
})
