import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

interface Target {
  field: 'checkId' | 'groupId'
  path: string
  create(caller: Caller): Promise<string | number>
  remove(caller: Caller, id: string | number): Promise<unknown>
  unknown: string
}

const request = { method: 'GET', url: 'https://example.com' }
const targets: Target[] = [
  {
    field: 'checkId',
    path: '/v1/triggers/checks',
    create: async (caller) =>
      (await caller.post('/v1/checks/api', { name: 'c', locations: ['eu-west-1'], request })).body.id,
    remove: (caller, id) => caller.delete(`/v1/checks/${id}`),
    unknown: '9b1f5a3e-6d0c-4b7e-8f53-2f0f4d3a7c11',
  },
  {
    field: 'groupId',
    path: '/v1/triggers/check-groups',
    create: async (caller) => (await caller.post('/v2/check-groups', { name: 'g' })).body.id,
    remove: (caller, id) => caller.delete(`/v1/check-groups/${id}`),
    unknown: '2000000000',
  },
]

describe.each(targets)('$path/{$field}', ({ field, path, create, remove, unknown }) => {
  it('201: creates a trigger with a token of twelve characters', async () => {
    const id = await create(api.alice)
    const { status, body } = await api.alice.post(`${path}/${id}`)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{12}$/),
      [field]: id,
      created_at: expect.any(String),
      called_at: null,
      updated_at: null,
    })
    expect(await api.alice.get(`${path}/${id}`)).toMatchObject({ status: 200, body })
  })

  it('201: a second time returns the existing trigger', async () => {
    const id = await create(api.alice)
    const responses = await Promise.all([1, 2, 3].map(() => api.alice.post(`${path}/${id}`)))
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(responses.map(({ body }) => body.token)).size).toBe(1)
  })

  it('201: keeps the token sealed in the table', async () => {
    const { body } = await api.alice.post(`${path}/${await create(api.alice)}`)
    const { rows } = await sql<{ text: string }>`
      select triggers::text as text from triggers where id = ${body.id}`.execute(api.store.db)
    expect(rows[0]!.text).toContain('$sealed')
    expect(rows[0]!.text).not.toContain(body.token)
  })

  it('400: an id of the wrong form', async () => {
    const { status, body } = await api.alice.post(`${path}/zero`)
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([field])
  })

  it('403: reading the token needs READ_RUN, creating or deleting it READ_WRITE', async () => {
    const id = await create(api.alice)
    await api.alice.post(`${path}/${id}`)
    const [reader, runner] = [await api.as('READ_ONLY'), await api.as('READ_RUN')]
    expect((await reader.get(`${path}/${id}`)).status).toBe(403)
    expect((await runner.get(`${path}/${id}`)).status).toBe(200)
    expect((await runner.post(`${path}/${id}`)).status).toBe(403)
    expect((await runner.delete(`${path}/${id}`)).status).toBe(403)
  })

  it('404: without a target or a trigger', async () => {
    expect((await api.alice.post(`${path}/${unknown}`)).status).toBe(404)
    const id = await create(api.alice)
    expect((await api.alice.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(404)
  })

  it('404: another account sees nothing and changes nothing', async () => {
    const id = await create(api.alice)
    expect((await api.bob.post(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${id}`)).status).toBe(404)
    await api.alice.post(`${path}/${id}`)
    expect((await api.bob.post(`${path}/${id}`)).status).toBe(404)
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.bob.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${id}`)).status).toBe(200)
  })

  it('204: removes it, and the next one has another token', async () => {
    const id = await create(api.alice)
    const { body } = await api.alice.post(`${path}/${id}`)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.alice.post(`${path}/${id}`)).body.token).not.toBe(body.token)
  })

  it('404: a trigger is deleted with its target', async () => {
    const id = await create(api.alice)
    await api.alice.post(`${path}/${id}`)
    await remove(api.alice, id)
    expect((await api.alice.get(`${path}/${id}`)).status).toBe(404)
  })
})

describe('GET /v1/triggers', () => {
  it('200: of checks and groups, with the URL to call', async () => {
    const owner = await api.newAccount()
    const request = { url: 'https://example.com' }
    const { body: check } = await owner.post('/v1/checks/url', {
      ...{ name: 'Shop', locations: ['eu-west-1'], request },
    })
    const { body: group } = await owner.post('/v1/check-groups', { name: 'All' })
    const { body: ofCheck } = await owner.post(`/v1/triggers/checks/${check.id}`)
    const { body: ofGroup } = await owner.post(`/v1/triggers/check-groups/${group.id}`)
    const { status, body } = await owner.get('/v1/triggers')
    expect(status).toBe(200)
    const byName = body.sort((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name))
    expect(byName).toMatchObject([
      {
        ...{ name: 'All', checkId: null, groupId: group.id },
        url: `http://vedette.test/check-groups/${group.id}/trigger/${ofGroup.token}`,
      },
      {
        ...{ name: 'Shop', checkId: check.id, groupId: null },
        url: `http://vedette.test/checks/${check.id}/trigger/${ofCheck.token}`,
      },
    ])
    expect(
      (await api.bob.get('/v1/triggers')).body.map(({ token }: { token: string }) => token),
    ).not.toContain(ofCheck.token)
  })
})
