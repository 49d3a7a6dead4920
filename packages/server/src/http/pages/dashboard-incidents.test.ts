import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let dashboardId: number
beforeAll(async () => {
  api = await startTestApi()
  dashboardId = (await api.alice.post('/v1/dashboards', { header: 'Shop' })).body.id
})
afterAll(() => api.close())

const update = (status: string, description = `${status} it`) => ({ status, description })
const valid = () => ({ name: 'Slow', dashboardId, incidentUpdates: [update('INVESTIGATING')] })
const create = async (body: object = {}) =>
  (await api.alice.post('/v1/incidents', { ...valid(), ...body })).body

describe('POST /v1/incidents', () => {
  it('200: impact and start have defaults', async () => {
    const { status, body } = await api.alice.post('/v1/incidents', valid())
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'Slow',
      impact: 'MINOR',
      stoppedAt: null,
      dashboardId,
      updated_at: null,
    })
    expect(body.startedAt).toEqual(expect.any(String))
    expect(body.incidentUpdates).toMatchObject([{ ...update('INVESTIGATING'), updated_at: null }])
    expect((await api.alice.get(`/v1/incidents/${body.id}`)).body).toEqual(body)
  })

  it('200: dates are stored as instants, and one without a time zone is UTC', async () => {
    const body = await create({
      impact: 'MAINTENANCE',
      startedAt: '2026-11-15 08:00',
      stoppedAt: '2026-11-15T12:00:00+02:00',
    })
    expect(body).toMatchObject({
      impact: 'MAINTENANCE',
      startedAt: '2026-11-15T08:00:00.000Z',
      stoppedAt: '2026-11-15T10:00:00.000Z',
    })
  })

  it('200: one that is resolved from the start has stopped', async () => {
    const body = await create({ startedAt: '2020-01-01', incidentUpdates: [update('RESOLVED')] })
    expect(Date.parse(body.stoppedAt)).toBeGreaterThan(Date.parse('2020-01-01'))
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post('/v1/incidents', {
      name: '',
      impact: 'HUGE',
      startedAt: 'yesterday',
      dashboardId: 'abc',
      incidentUpdates: [update('DONE')],
    })
    expect(status).toBe(400)
    const fields = ['name', 'impact', 'startedAt', 'dashboardId', 'incidentUpdates.0.status']
    expect(Object.keys(body.attributes)).toEqual(fields)
  })

  it('400: exactly one update opens an incident', async () => {
    for (const incidentUpdates of [[], [update('INVESTIGATING'), update('IDENTIFIED')]]) {
      const { status, body } = await api.alice.post('/v1/incidents', { ...valid(), incidentUpdates })
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual(['incidentUpdates'])
    }
  })

  it('400: it cannot stop before it starts', async () => {
    const dates = { startedAt: '2026-11-15T08:00:00Z', stoppedAt: '2026-11-15T07:59:59Z' }
    const { status, body } = await api.alice.post('/v1/incidents', { ...valid(), ...dates })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ stoppedAt: 'must not be before startedAt' })
  })

  it('403: a reader opens nothing', async () => {
    const reader = await api.as('READ_ONLY')
    expect((await reader.post('/v1/incidents', valid())).status).toBe(403)
  })

  it('404: on an unknown dashboard, and on one of another account', async () => {
    expect((await api.alice.post('/v1/incidents', { ...valid(), dashboardId: 2_147_483_647 })).status).toBe(
      404,
    )
    expect((await api.bob.post('/v1/incidents', valid())).status).toBe(404)
  })
})

describe('GET /v1/incidents/{id}', () => {
  it('200: only the latest update, or all of them newest first', async () => {
    const { id } = await create()
    for (const status of ['IDENTIFIED', 'MONITORING'])
      await api.alice.post(`/v1/incidents/${id}/updates`, update(status))
    const statuses = async (query: string) =>
      (await api.alice.get(`/v1/incidents/${id}${query}`)).body.incidentUpdates.map(
        (entry: { status: string }) => entry.status,
      )
    expect(await statuses('')).toEqual(['MONITORING'])
    expect(await statuses('?includeAllIncidentUpdates=true')).toEqual([
      'MONITORING',
      'IDENTIFIED',
      'INVESTIGATING',
    ])
  })

  it('404: another account sees nothing', async () => {
    const { id } = await create()
    expect((await api.bob.get(`/v1/incidents/${id}`)).status).toBe(404)
  })
})

describe('PUT /v1/incidents/{id}', () => {
  it('200: changes only what is sent', async () => {
    const before = await create({ impact: 'MAJOR', stoppedAt: '2999-01-01T00:00:00.000Z' })
    const { status, body } = await api.alice.put(`/v1/incidents/${before.id}`, {
      name: 'New',
      dashboardId: 999,
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'New', updated_at: expect.any(String) })
    const reopened = await api.alice.put(`/v1/incidents/${before.id}`, { stoppedAt: null })
    expect(reopened.body).toMatchObject({ name: 'New', impact: 'MAJOR', stoppedAt: null })
  })

  it('400: what is stored and what is sent must fit together', async () => {
    const { id } = await create({ startedAt: '2026-11-15T08:00:00Z' })
    const { status, body } = await api.alice.put(`/v1/incidents/${id}`, { stoppedAt: '2026-11-14T08:00:00Z' })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ stoppedAt: 'must not be before startedAt' })
  })

  it('403: a reader changes nothing', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_ONLY')).put(`/v1/incidents/${id}`, { name: 'x' })).status).toBe(403)
  })

  it('404: another account changes nothing', async () => {
    const { id } = await create()
    expect((await api.bob.put(`/v1/incidents/${id}`, { name: 'x' })).status).toBe(404)
  })
})

describe('DELETE /v1/incidents/{id}', () => {
  it('204: removes it with its updates; a second time is 404', async () => {
    const { id } = await create()
    const other = await create()
    await api.alice.post(`/v1/incidents/${id}/updates`, update('IDENTIFIED'))
    const response = await api.alice.delete(`/v1/incidents/${id}`)
    expect([response.status, response.text]).toEqual([204, ''])
    expect((await api.alice.delete(`/v1/incidents/${id}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/incidents/${id}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/incidents/${other.id}`)).body).toEqual(other)
    const left = api.store.db
      .selectFrom('dashboard_incident_updates')
      .select('id')
      .where('incident_id', '=', id)
    expect(await left.execute()).toEqual([])
  })

  it('403: a reader removes nothing', async () => {
    const { id } = await create()
    expect((await (await api.as('READ_ONLY')).delete(`/v1/incidents/${id}`)).status).toBe(403)
    expect((await api.alice.get(`/v1/incidents/${id}`)).status).toBe(200)
  })

  it('404: another account removes nothing', async () => {
    const before = await create()
    expect((await api.bob.delete(`/v1/incidents/${before.id}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/incidents/${before.id}`)).body).toEqual(before)
  })
})

describe('POST /v1/incidents/{incidentId}/updates', () => {
  it('201: returns the update with its incident', async () => {
    const { id } = await create()
    const { status, body } = await api.alice.post(`/v1/incidents/${id}/updates`, update('MAINTENANCE'))
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...update('MAINTENANCE'), incidentId: id, updated_at: null })
    expect((await api.alice.get(`/v1/incidents/${id}`)).body.stoppedAt).toBeNull()
  })

  it('201: the one that resolves it stops it, and a later one leaves that instant alone', async () => {
    const { id } = await create()
    await api.alice.post(`/v1/incidents/${id}/updates`, update('RESOLVED'))
    const { stoppedAt } = (await api.alice.get(`/v1/incidents/${id}`)).body
    expect(stoppedAt).toEqual(expect.any(String))
    await api.alice.post(`/v1/incidents/${id}/updates`, update('RESOLVED'))
    expect((await api.alice.get(`/v1/incidents/${id}`)).body.stoppedAt).toBe(stoppedAt)
  })

  it('201: resolving what has not begun stops it at its start', async () => {
    const { id, startedAt } = await create({ startedAt: '2999-01-01T00:00:00.000Z' })
    await api.alice.post(`/v1/incidents/${id}/updates`, update('RESOLVED'))
    expect((await api.alice.get(`/v1/incidents/${id}`)).body.stoppedAt).toBe(startedAt)
  })

  it('400: names every wrong field', async () => {
    const { id } = await create()
    const { status, body } = await api.alice.post(`/v1/incidents/${id}/updates`, { status: 'DONE' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['status', 'description'])
  })

  it('403: a reader adds nothing', async () => {
    const { id } = await create()
    const reader = await api.as('READ_ONLY')
    expect((await reader.post(`/v1/incidents/${id}/updates`, update('RESOLVED'))).status).toBe(403)
  })

  it('404: another account adds nothing', async () => {
    const { id } = await create()
    expect((await api.bob.post(`/v1/incidents/${id}/updates`, update('RESOLVED'))).status).toBe(404)
  })
})

describe('PUT /v1/incidents/{incidentId}/updates/{id}', () => {
  it('200: changes the description only', async () => {
    const { id, incidentUpdates } = await create()
    const path = `/v1/incidents/${id}/updates/${incidentUpdates[0].id}`
    const { status, body } = await api.alice.put(path, { description: 'Better', status: 'RESOLVED' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...incidentUpdates[0], description: 'Better', updated_at: expect.any(String) })
  })

  it('400: names the wrong field', async () => {
    const { id, incidentUpdates } = await create()
    const { status, body } = await api.alice.put(`/v1/incidents/${id}/updates/${incidentUpdates[0].id}`, {
      description: 5,
    })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ description: 'must be a string' })
  })

  it('404: not by another account, nor through another incident', async () => {
    const { id, incidentUpdates } = await create()
    const path = (incident: string) => `/v1/incidents/${incident}/updates/${incidentUpdates[0].id}`
    expect((await api.bob.put(path(id), { description: 'x' })).status).toBe(404)
    expect((await api.alice.put(path(randomUUID()), { description: 'x' })).status).toBe(404)
  })
})

describe('DELETE /v1/incidents/{incidentId}/updates/{id}', () => {
  it('204: removes it; a second time is 404', async () => {
    const { id } = await create()
    const { body } = await api.alice.post(`/v1/incidents/${id}/updates`, update('IDENTIFIED'))
    expect((await api.alice.delete(`/v1/incidents/${id}/updates/${body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/incidents/${id}/updates/${body.id}`)).status).toBe(404)
  })

  it('404: another account removes nothing', async () => {
    const { id, incidentUpdates } = await create()
    expect((await api.bob.delete(`/v1/incidents/${id}/updates/${incidentUpdates[0].id}`)).status).toBe(404)
  })
})

describe('GET /v1/incidents', () => {
  it('200: open ones first, then the latest, each with its latest update', async () => {
    const own = (await api.alice.post('/v1/dashboards', { header: 'List' })).body.id
    const make = (name: string, startedAt: string, status = 'INVESTIGATING') =>
      create({ name, dashboardId: own, startedAt, incidentUpdates: [update(status)] })
    await make('old', '2026-11-01T00:00:00Z', 'RESOLVED')
    const open = await make('open', '2026-11-02T00:00:00Z')
    await make('late', '2026-11-03T00:00:00Z', 'RESOLVED')
    await api.alice.post(`/v1/incidents/${open.id}/updates`, update('MONITORING'))
    const { body, headers } = await api.alice.get(`/v1/incidents?dashboardId=${own}`)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['open', 'late', 'old'])
    expect(body[0].incidentUpdates).toMatchObject([update('MONITORING')])
    expect(headers.get('content-range')).toMatch(/\/3$/)
    expect((await api.alice.get('/v1/incidents?limit=100')).body.length).toBeGreaterThan(3)
    expect((await api.bob.get('/v1/incidents')).body).toEqual([])
  })
})
