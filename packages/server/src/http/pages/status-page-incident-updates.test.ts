import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let service: { id: string }
beforeAll(async () => {
  api = await startTestApi()
  service = (await api.alice.post('/v1/status-pages/services', { name: 'API' })).body
})
afterAll(() => api.close())

const first = { description: 'We look', publicIncidentUpdateDate: '2020-01-01T08:00:00.000Z' }

async function open() {
  const body = { name: 'Down', severity: 'MAJOR', services: [service], incidentUpdates: [first] }
  const incident = (await api.alice.post('/v1/status-pages/incidents', body)).body
  const path = `/v1/status-pages/incidents/${incident.id}`
  return {
    path,
    updates: `${path}/incident-updates`,
    firstUpdate: incident.incidentUpdates[0],
    read: async () => (await api.alice.get(path)).body,
    add: async (status: string, time: string) => {
      const update = { description: status, status, publicIncidentUpdateDate: `2020-01-01T${time}:00.000Z` }
      return (await api.alice.post(`${path}/incident-updates`, update)).body
    },
  }
}

describe('POST …/incident-updates', () => {
  it('200: becomes the latest update of the incident', async () => {
    const { updates, read } = await open()
    const sent = { description: 'Found it', status: 'IDENTIFIED', notifySubscribers: true }
    const { status, body } = await api.alice.post(updates, sent)
    expect(status).toBe(200)
    expect(body).toMatchObject(sent)
    const incident = await read()
    expect(incident).toMatchObject({ lastUpdateStatus: 'IDENTIFIED', updated_at: expect.any(String) })
    expect(incident.incidentUpdates[0]).toEqual(body)
    expect((await api.alice.get(`${updates}/${body.id}`)).body).toEqual(body)
  })

  it('200: resolving sets the duration of the incident, reopening removes it', async () => {
    const { add, read } = await open()
    await add('RESOLVED', '08:30')
    expect(await read()).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 30 * 60_000 })
    await add('RESOLVED', '09:00')
    expect(await read()).toMatchObject({ duration: 30 * 60_000 })
    await add('INVESTIGATING', '09:30')
    expect(await read()).toMatchObject({ lastUpdateStatus: 'INVESTIGATING', duration: null })
  })

  it('200: an update dated between others does not become the latest', async () => {
    const { add, read } = await open()
    await add('RESOLVED', '09:00')
    await add('MONITORING', '08:30')
    const incident = await read()
    expect(incident).toMatchObject({ lastUpdateStatus: 'RESOLVED', duration: 60 * 60_000 })
    expect(incident.incidentUpdates.map((update: { status: string }) => update.status)).toEqual([
      'RESOLVED',
      'MONITORING',
      'INVESTIGATING',
    ])
  })

  it('200: of two with the same date the one sent later is the latest', async () => {
    const { add, read } = await open()
    await add('IDENTIFIED', '08:00')
    await add('MONITORING', '08:00')
    expect((await read()).lastUpdateStatus).toBe('MONITORING')
  })

  it('400: names every wrong field', async () => {
    const { updates } = await open()
    const { status, body } = await api.alice.post(updates, { status: 'MAINTENANCE' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['description', 'status'])
  })

  it('403: a reader adds nothing', async () => {
    const { updates } = await open()
    expect((await (await api.as('READ_ONLY')).post(updates, { description: 'x' })).status).toBe(403)
  })

  it('404: another account adds nothing', async () => {
    const { updates } = await open()
    expect((await api.bob.post(updates, { description: 'x' })).status).toBe(404)
  })
})

describe('GET …/incident-updates', () => {
  it('200: the last 100, latest first', async () => {
    const { updates, path } = await open()
    const incident_id = path.split('/').at(-1) as string
    const start = Date.parse('2020-01-01T09:00:00.000Z')
    await api.store.db
      .insertInto('incident_updates')
      .values(
        Array.from({ length: 110 }, (_, index) => ({
          id: randomUUID(),
          account_id: api.alice.accountId,
          incident_id,
          status: 'MONITORING',
          description: `u${index}`,
          public_incident_update_date: new Date(start + index * 1000),
          notify_subscribers: false,
        })),
      )
      .execute()
    const { status, body } = await api.alice.get(updates)
    expect(status).toBe(200)
    expect(body).toHaveLength(100)
    expect(body[0].description).toBe('u109')
    expect(body[99].description).toBe('u10')
  })

  it('404: another account sees nothing', async () => {
    const { updates, firstUpdate } = await open()
    expect((await api.bob.get(updates)).status).toBe(404)
    expect((await api.bob.get(`${updates}/${firstUpdate.id}`)).status).toBe(404)
  })
})

describe('GET …/incident-updates/{incidentUpdateId}', () => {
  it('404: not through another incident', async () => {
    const [one, two] = [await open(), await open()]
    expect((await api.alice.get(`${one.updates}/${two.firstUpdate.id}`)).status).toBe(404)
  })
})

describe('PUT …/incident-updates/{incidentUpdateId}', () => {
  it('200: changes only what is sent', async () => {
    const { updates, firstUpdate, read } = await open()
    const { status, body } = await api.alice.put(`${updates}/${firstUpdate.id}`, { status: 'RESOLVED' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...firstUpdate, status: 'RESOLVED' })
    expect((await read()).lastUpdateStatus).toBe('RESOLVED')
    const later = { publicIncidentUpdateDate: '2020-01-01T10:00:00.000Z', description: 'Better' }
    const second = await api.alice.put(`${updates}/${firstUpdate.id}`, later)
    expect(second.body).toEqual({ ...firstUpdate, status: 'RESOLVED', ...later })
  })

  it('400: names every wrong field', async () => {
    const { updates, firstUpdate } = await open()
    const { status, body } = await api.alice.put(`${updates}/${firstUpdate.id}`, {
      description: '',
      status: null,
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['description', 'status'])
  })

  it('403: a reader changes nothing', async () => {
    const { updates, firstUpdate } = await open()
    const reader = await api.as('READ_ONLY')
    expect((await reader.put(`${updates}/${firstUpdate.id}`, { description: 'x' })).status).toBe(403)
  })

  it('404: not by another account, nor an unknown one', async () => {
    const { updates, firstUpdate, read } = await open()
    const before = await read()
    expect((await api.bob.put(`${updates}/${firstUpdate.id}`, { description: 'x' })).status).toBe(404)
    expect((await api.alice.put(`${updates}/${randomUUID()}`, { description: 'x' })).status).toBe(404)
    expect(await read()).toEqual(before)
  })
})

describe('DELETE …/incident-updates/{incidentUpdateId}', () => {
  it('204: removes it; a second time is 404', async () => {
    const { updates, add, read } = await open()
    const { id } = await add('RESOLVED', '09:00')
    expect((await api.alice.delete(`${updates}/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`${updates}/${id}`)).status).toBe(404)
    expect(await read()).toMatchObject({ lastUpdateStatus: 'INVESTIGATING', duration: null })
  })

  it('404: another account removes nothing', async () => {
    const { updates, add } = await open()
    const { id } = await add('RESOLVED', '09:00')
    expect((await api.bob.delete(`${updates}/${id}`)).status).toBe(404)
  })

  it('409: the last one stays, also when two are deleted at the same moment', async () => {
    const { updates, firstUpdate, add, read } = await open()
    const second = await add('IDENTIFIED', '09:00')
    const responses = await Promise.all(
      [firstUpdate.id, second.id].map((id) => api.alice.delete(`${updates}/${id}`)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 409])
    expect((await read()).incidentUpdates).toHaveLength(1)
  })
})
