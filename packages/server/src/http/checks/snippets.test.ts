import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const valid = { name: 'sign-in', script: 'console.log(1)' }

describe('POST /v1/snippets', () => {
  it('201: returns the snippet as it was stored', async () => {
    const { status, body } = await api.alice.post('/v1/snippets', valid)
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...valid, updated_at: null })
    expect((await api.alice.get(`/v1/snippets/${body.id}`)).body).toEqual(body)
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post('/v1/snippets', { name: 5 })
    expect(status).toBe(400)
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request' })
    expect(body.attributes).toEqual({ name: 'must be a string', script: 'is required' })
  })

  it('403: a key that may only read creates nothing', async () => {
    const reader = await api.as('READ_ONLY')
    expect((await reader.post('/v1/snippets', valid)).status).toBe(403)
  })
})

describe('GET /v1/snippets', () => {
  it('200: pages with the total in Content-Range', async () => {
    const owner = await api.newAccount()
    for (let index = 0; index < 12; index++) await owner.post('/v1/snippets', { ...valid, name: `s${index}` })
    const second = await owner.get('/v1/snippets?limit=5&page=3')
    expect(second.status).toBe(200)
    expect(second.body.map((snippet: { name: string }) => snippet.name)).toEqual(['s10', 's11'])
    expect(second.headers.get('content-range')).toBe('items 10-11/12')
  })

  it('400: refuses a limit over 100', async () => {
    const { status, body } = await api.alice.get('/v1/snippets?limit=101')
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ limit: 'must be at most 100' })
  })
})

describe('PUT /v1/snippets/{id}', () => {
  it('200: changes only what is sent', async () => {
    const { body: created } = await api.alice.post('/v1/snippets', valid)
    const { status, body } = await api.alice.put(`/v1/snippets/${created.id}`, { script: 'new' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: valid.name, script: 'new', updated_at: expect.any(String) })
  })

  it('404: another account sees nothing', async () => {
    const { body: created } = await api.alice.post('/v1/snippets', valid)
    expect((await api.bob.put(`/v1/snippets/${created.id}`, { script: 'mine' })).status).toBe(404)
  })
})

describe('DELETE /v1/snippets/{id}', () => {
  it('204: removes it; a second time is 404', async () => {
    const { body } = await api.alice.post('/v1/snippets', valid)
    expect((await api.alice.delete(`/v1/snippets/${body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/snippets/${body.id}`)).status).toBe(404)
  })
})

describe('the name of a snippet', () => {
  it.each(['a b', 'a/b', '../x', 'ü', 'a"b'])(
    '400: %j names no file, when created and when renamed',
    async (name) => {
      const refused = await api.alice.post('/v1/snippets', { name, script: '1' })
      expect(refused.status).toBe(400)
      expect(refused.body.attributes.name).toMatch(/^must be letters, digits, dots/)
      const { body } = await api.alice.post('/v1/snippets', { name: 'A-z.0_9', script: '1' })
      expect((await api.alice.put(`/v1/snippets/${body.id}`, { name, script: '2' })).status).toBe(400)
    },
  )

  it('200: one that an earlier release accepted is read, and its script changed', async () => {
    const { body } = await api.alice.post('/v1/snippets', { name: 'old', script: '1' })
    await api.store.pool.query(`update snippets set name = 'old name' where id = $1`, [body.id])
    expect((await api.alice.get(`/v1/snippets/${body.id}`)).body.name).toBe('old name')
    const changed = await api.alice.put(`/v1/snippets/${body.id}`, { name: 'old name', script: '2' })
    expect(changed).toMatchObject({ status: 200, body: { name: 'old name', script: '2' } })
    expect((await api.alice.put(`/v1/snippets/${body.id}`, { script: '3' })).status).toBe(200)
    expect((await api.alice.put(`/v1/snippets/${body.id}`, { name: 'other name' })).status).toBe(400)
  })
})

describe('GET /v1/snippets/{id}/uses', () => {
  it('200: checks and groups that use it, by reference and by file', async () => {
    const owner = await api.newAccount()
    const { body: snippet } = await owner.post('/v1/snippets', { name: 'sign-in', script: '1' })
    const request = { method: 'GET', url: 'https://example.com' }
    await owner.post('/v1/checks/api', {
      name: 'Setup',
      activated: false,
      request,
      setupSnippetId: snippet.id,
    })
    await owner.post('/v1/checks/browser', {
      name: 'Script',
      activated: false,
      script: "require('./snippets/sign-in')",
    })
    await owner.post('/v1/checks/browser', { name: 'Other', activated: false, script: '1' })
    await owner.post('/v1/check-groups', { name: 'Group', tearDownSnippetId: snippet.id })
    const { status, body } = await owner.get(`/v1/snippets/${snippet.id}/uses`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ checkCount: 2, groupCount: 1, groups: [{ name: 'Group' }] })
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual(['Script', 'Setup'])
  })
})
