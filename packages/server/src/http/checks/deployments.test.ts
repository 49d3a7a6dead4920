import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let now = Date.UTC(2026, 10, 15, 8)
let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const whole = {
  environmentName: 'production',
  environmentUrl: 'https://shop.example.com',
  repository: 'example/shop',
  sha: '9b1f5a3e',
  deploymentId: '42',
}

describe('POST /v1/deployments', () => {
  it('201: marks what was deployed, and where', async () => {
    const { body: check } = await api.alice.post('/v1/checks/url', {
      locations: ['eu-west-1'],
      name: 'url',
      request: { url: 'https://example.com' },
    })
    const { body: group } = await api.alice.post('/v1/check-groups', { name: 'group' })
    const mark = { ...whole, checkId: check.id, groupId: group.id }
    const { status, body } = await api.alice.post('/v1/deployments', mark)
    expect(status).toBe(201)
    expect(body).toEqual({ ...mark, id: expect.any(String), created_at: new Date(now).toISOString() })
  })

  it('201: with a single fact', async () => {
    const { status, body } = await api.alice.post('/v1/deployments', { sha: 'abc' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ sha: 'abc', repository: null, checkId: null, groupId: null })
  })

  it('400: without a target, and with an unknown target', async () => {
    const { body: foreign } = await api.bob.post('/v1/check-groups', { name: 'group' })
    const wrong: [object, string][] = [
      [{}, 'body'],
      [{ sha: null }, 'body'],
      [{ environmentUrl: 'ftp://example.com' }, 'environmentUrl'],
      [{ checkId: randomUUID() }, 'checkId'],
      [{ groupId: foreign.id }, 'groupId'],
    ]
    for (const [mark, field] of wrong) {
      const { status, body } = await api.alice.post('/v1/deployments', mark)
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual([field])
    }
  })
})

describe('GET /v1/deployments', () => {
  it('200: the latest first, of this account, of the time asked for', async () => {
    const owner = await api.newAccount()
    const from = now
    for (const sha of ['a', 'b', 'c']) {
      await owner.post('/v1/deployments', { sha })
      now += 60_000
    }
    const list = async (query: string) => {
      const { status, body, headers } = await owner.get(`/v1/deployments${query}`)
      expect(status).toBe(200)
      return [body.map(({ sha }: { sha: string }) => sha), headers.get('content-range')]
    }
    expect(await list('')).toEqual([['c', 'b', 'a'], 'items 0-2/3'])
    expect(await list('?limit=1&page=2')).toEqual([['b'], 'items 1-1/3'])
    expect(await list(`?from=${from / 1000 + 60}`)).toEqual([['c', 'b'], 'items 0-1/2'])
    expect(await list(`?from=${from / 1000}&to=${from / 1000 + 60}`)).toEqual([['a'], 'items 0-0/1'])
  })
})

describe('DELETE /v1/deployments/{id}', () => {
  it('204: removes it; a second time is 404', async () => {
    const { body } = await api.alice.post('/v1/deployments', { sha: 'mistake' })
    expect((await api.alice.delete(`/v1/deployments/${body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/deployments/${body.id}`)).status).toBe(404)
  })
})
