import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const path = '/v1/saved-views'
const valid = { name: 'Checkout', query: 'state=failing&tag=checkout' }
const namesOf = (body: { name: string }[]) => body.map(({ name }) => name)

describe('saved views', () => {
  it('201, 200, 204: are created, listed by name, read, changed and deleted', async () => {
    const owner = await api.newAccount()
    const { status, body: created } = await owner.post(path, valid)
    expect(status).toBe(201)
    expect(created).toMatchObject({ ...valid, isShared: false, isOwn: true, updated_at: null })
    await owner.post(path, { ...valid, name: 'api' })
    expect(namesOf((await owner.get(path)).body)).toEqual(['api', 'Checkout'])
    const changed = await owner.put(`${path}/${created.id}`, { query: 'muted=true' })
    expect(changed.body).toMatchObject({
      name: 'Checkout',
      query: 'muted=true',
      updated_at: expect.any(String),
    })
    expect((await owner.get(`${path}/${created.id}`)).body).toEqual(changed.body)
    expect((await owner.delete(`${path}/${created.id}`)).status).toBe(204)
    expect((await owner.get(`${path}/${created.id}`)).status).toBe(404)
  })

  it('404: another account sees nothing', async () => {
    const { body } = await api.alice.post(path, { ...valid, isShared: true })
    expect((await api.bob.get(`${path}/${body.id}`)).status).toBe(404)
    expect((await api.bob.put(`${path}/${body.id}`, { name: 'mine' })).status).toBe(404)
    expect((await api.bob.delete(`${path}/${body.id}`)).status).toBe(404)
    expect((await api.bob.get(path)).body).toEqual([])
  })

  it('403, 404: other members see shared views only, and change them with READ_WRITE', async () => {
    const { body: own } = await api.alice.post(path, { ...valid, name: 'Own' })
    const { body: shared } = await api.alice.post(path, { ...valid, name: 'Shared', isShared: true })
    const [reader, writer] = [await api.as('READ_ONLY'), await api.as('READ_WRITE')]
    const listed = namesOf((await reader.get(`${path}?limit=100`)).body)
    expect(listed).toContain('Shared')
    expect(listed).not.toContain('Own')
    expect((await writer.get(`${path}/${own.id}`)).status).toBe(404)
    expect((await writer.delete(`${path}/${own.id}`)).status).toBe(404)
    expect((await reader.get(`${path}/${shared.id}`)).body.isOwn).toBe(false)
    expect((await reader.put(`${path}/${shared.id}`, { name: 'x' })).status).toBe(403)
    expect((await reader.post(path, { ...valid, isShared: true })).status).toBe(403)
    expect((await writer.put(`${path}/${shared.id}`, { name: 'Renamed' })).status).toBe(200)
    expect((await writer.put(`${path}/${shared.id}`, { isShared: false })).status).toBe(403)
  })

  it('400, 403: a query is without ?; a service key has no views of its own', async () => {
    expect((await api.alice.post(path, { ...valid, query: '?state=failing' })).body.attributes).toEqual({
      query: 'must be a query string without ? and #',
    })
    expect((await (await api.as('READ_WRITE')).post(path, valid)).status).toBe(403)
  })
})
