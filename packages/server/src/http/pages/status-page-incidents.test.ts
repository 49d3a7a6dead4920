import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let service: { id: string; name: string; accountId: string }
let bobs: { id: string }
beforeAll(async () => {
  api = await startTestApi()
  service = (await api.alice.post('/v1/status-pages/services', { name: 'API' })).body
  bobs = (await api.bob.post('/v1/status-pages/services', { name: 'Bob' })).body
})
afterAll(() => api.close())

const path = '/v1/status-pages/incidents'
const valid = () => ({
  name: 'Down',
  severity: 'MAJOR',
  services: [service],
  incidentUpdates: [{ description: 'We look' }],
})
const create = async (body: object = {}) => (await api.alice.post(path, { ...valid(), ...body })).body
const newService = async (name: string) => (await api.alice.post('/v1/status-pages/services', { name })).body

describe('POST /v1/status-pages/incidents', () => {
  it('201: status, date and notifySubscribers of the update have defaults', async () => {
    const { status, body } = await api.alice.post(path, valid())
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Down',
      severity: 'MAJOR',
      services: [service],
      incidentUpdates: [
        {
          id: expect.any(String),
          description: 'We look',
          status: 'INVESTIGATING',
          publicIncidentUpdateDate: expect.any(String),
          notifySubscribers: false,
          created_at: expect.any(String),
        },
      ],
      lastUpdateStatus: 'INVESTIGATING',
      duration: null,
      postmortem: null,
      created_at: expect.any(String),
      updated_at: body.created_at,
    })
    expect((await api.alice.get(`${path}/${body.id}`)).body).toEqual(body)
  })

  it('201: an update may be dated back', async () => {
    const first = {
      description: 'It was',
      status: 'RESOLVED',
      publicIncidentUpdateDate: '2026-01-02T03:04:05+01:00',
    }
    const body = await create({ incidentUpdates: [{ ...first, notifySubscribers: true }] })
    expect(body.incidentUpdates[0]).toMatchObject({
      ...first,
      publicIncidentUpdateDate: '2026-01-02T02:04:05.000Z',
      notifySubscribers: true,
    })
    expect(body).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 0 })
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post(path, {
      name: 'n'.repeat(256),
      severity: 'HUGE',
      services: [],
      incidentUpdates: [{ status: 'DONE', publicIncidentUpdateDate: 'soon', notifySubscribers: 1 }],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([
      'name',
      'severity',
      'services',
      'incidentUpdates.0.description',
      'incidentUpdates.0.status',
      'incidentUpdates.0.publicIncidentUpdateDate',
      'incidentUpdates.0.notifySubscribers',
    ])
  })

  it('400: exactly one update opens an incident', async () => {
    const update = { description: 'x' }
    for (const incidentUpdates of [[], [update, update]]) {
      const { status, body } = await api.alice.post(path, { ...valid(), incidentUpdates })
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual(['incidentUpdates'])
    }
  })

  it('400: names a service listed twice, and one of another account', async () => {
    const twice = await api.alice.post(path, { ...valid(), services: [service, service] })
    expect(twice.body.attributes).toEqual({ 'services.1.id': 'is listed twice' })
    const foreign = await api.alice.post(path, { ...valid(), services: [service, bobs] })
    expect(foreign.status).toBe(400)
    expect(foreign.body.attributes).toEqual({ 'services.1.id': "isn't a service of this account" })
  })

  it('403: a reader opens nothing', async () => {
    expect((await (await api.as('READ_ONLY')).post(path, valid())).status).toBe(403)
  })
})

describe('GET /v1/status-pages/incidents', () => {
  it('200: by cursor, latest first', async () => {
    const before = (await api.alice.get(path)).body.length
    const [first, second, third] = [await create(), await create(), await create()]
    const page = (await api.alice.get(`${path}?limit=2`)).body
    expect(page).toMatchObject({ length: before + 3, entries: [third, second] })
    const rest = (await api.alice.get(`${path}?limit=2&nextId=${page.nextId}`)).body
    expect(rest.entries[0]).toEqual(first)
  })

  it('200: another account has its own', async () => {
    expect((await api.bob.get(path)).body).toEqual({ length: 0, entries: [], nextId: null })
  })

  it('400: refuses a limit over 100', async () => {
    expect((await api.alice.get(`${path}?limit=101`)).status).toBe(400)
  })
})

describe('GET /v1/status-pages/incidents/{incidentId}', () => {
  it('404: another account sees nothing', async () => {
    const { id } = await create()
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
  })
})

describe.each(['PUT', 'PATCH'])('%s /v1/status-pages/incidents/{incidentId}', (method) => {
  it('200: changes only what is sent', async () => {
    const before = await create()
    const { status, body } = await api.alice.send(method, `${path}/${before.id}`, { severity: 'CRITICAL' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, severity: 'CRITICAL', updated_at: expect.any(String) })
  })

  it('200: services that are sent replace the others', async () => {
    const before = await create()
    const [a, b] = [await newService('a'), await newService('b')]
    const sent = { name: 'New', services: [b, a] }
    const { body } = await api.alice.send(method, `${path}/${before.id}`, sent)
    expect(body).toMatchObject({ name: 'New', severity: 'MAJOR', services: [a, b] })
  })

  it('400: names every wrong field', async () => {
    const { id } = await create()
    const { status, body } = await api.alice.send(method, `${path}/${id}`, { name: '', services: [] })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['name', 'services'])
  })

  it('400: a service of another account changes nothing', async () => {
    const before = await create()
    const { status, body } = await api.alice.send(method, `${path}/${before.id}`, {
      name: 'x',
      services: [bobs],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['services.0.id'])
    expect((await api.alice.get(`${path}/${before.id}`)).body).toEqual(before)
  })

  it('403: a reader changes nothing', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_ONLY')).send(method, `${path}/${id}`, { name: 'x' })).status).toBe(403)
  })

  it('404: another account changes nothing', async () => {
    const { id } = await create()
    expect((await api.bob.send(method, `${path}/${id}`, { name: 'x' })).status).toBe(404)
  })
})

describe('DELETE /v1/status-pages/incidents/{incidentId}', () => {
  it('204: removes it with its updates; a second time is 404', async () => {
    const { id } = await create()
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${id}`)).status).toBe(404)
    const left = api.store.db.selectFrom('incident_updates').select('id').where('incident_id', '=', id)
    expect(await left.execute()).toEqual([])
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

describe('GET /v1/status-pages/incidents?isOpen=', () => {
  it('200: the last update decides', async () => {
    const open = await create({ name: 'Open' })
    const over = await create({ name: 'Over', incidentUpdates: [{ description: 'x', status: 'RESOLVED' }] })
    const idsOf = async (isOpen: boolean) => {
      const { status, body, text } = await api.alice.get(`${path}?limit=100&isOpen=${isOpen}`)
      expect(status, text).toBe(200)
      expect(body.length).toBe(body.entries.length)
      return body.entries.map(({ id }: { id: string }) => id)
    }
    expect(await idsOf(true)).toContain(open.id)
    expect(await idsOf(true)).not.toContain(over.id)
    expect(await idsOf(false)).toContain(over.id)
    expect(await idsOf(false)).not.toContain(open.id)
  })
})
