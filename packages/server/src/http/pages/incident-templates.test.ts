import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let service: { id: string }
let count = 0
beforeAll(async () => {
  api = await startTestApi()
  service = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body
})
afterAll(() => api.close())

const path = '/v1/status-pages/incident-templates'
const incident = () => ({
  name: 'Checkout is down',
  severity: 'CRITICAL',
  services: [{ id: service.id }],
  incidentUpdates: [{ description: 'We look.', status: 'IDENTIFIED', notifySubscribers: true }],
})
const valid = (change: object = {}) => ({ name: `Template ${++count}`, incident: incident(), ...change })

describe('/v1/status-pages/incident-templates', () => {
  it('creates, lists, reads, replaces and deletes a template', async () => {
    const { status, body, text } = await api.alice.post(path, valid({ name: 'Zebra' }))
    expect(status, text).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Zebra',
      incident: incident(),
      created_at: expect.any(String),
      updated_at: null,
    })
    await api.alice.post(path, valid({ name: 'Ant' }))
    const names = (await api.alice.get(path)).body.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['Ant', 'Zebra'])
    const own = `${path}/${body.id}`
    expect((await api.alice.get(own)).body).toEqual(body)
    const changed = { ...body, incident: { ...incident(), severity: 'MINOR' } }
    const replaced = await api.alice.put(own, changed)
    expect(replaced.status, replaced.text).toBe(200)
    expect(replaced.body).toEqual({ ...changed, updated_at: expect.any(String) })
    expect((await api.alice.delete(own)).status).toBe(204)
    expect((await api.alice.get(own)).status).toBe(404)
  })

  it('has a body that opens an incident, and opens one itself', async () => {
    const template = (await api.alice.post(path, valid())).body
    const sent = await api.alice.post('/v1/status-pages/incidents', template.incident)
    expect(sent.status, sent.text).toBe(201)
    const opened = await api.alice.post(`${path}/${template.id}/incidents`)
    expect(opened.status, opened.text).toBe(201)
    for (const { body } of [sent, opened]) {
      expect(body).toMatchObject({
        name: 'Checkout is down',
        severity: 'CRITICAL',
        services: [{ id: service.id }],
        lastUpdateStatus: 'IDENTIFIED',
        incidentUpdates: [{ description: 'We look.', notifySubscribers: true }],
      })
    }
  })

  it('400: services of nobody, or of another account, and one that was deleted since', async () => {
    const bobs = (await api.bob.post('/v1/status-pages/services', { name: 'Bob' })).body
    const wrong = await api.alice.post(
      path,
      valid({ incident: { ...incident(), services: [{ id: bobs.id }] } }),
    )
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain("isn't a service of this account")
    const gone = (await api.alice.post('/v1/status-pages/services', { name: 'Gone' })).body
    const services = [{ id: gone.id }]
    const template = (await api.alice.post(path, valid({ incident: { ...incident(), services } }))).body
    expect((await api.alice.delete(`/v1/status-pages/services/${gone.id}`)).status).toBe(204)
    expect((await api.alice.post(`${path}/${template.id}/incidents`)).status).toBe(400)
  })

  it.each([
    ['no name', () => ({ name: '' })],
    ['no service', () => ({ incident: { ...incident(), services: [] } })],
    ['no update', () => ({ incident: { ...incident(), incidentUpdates: [] } })],
    ['an unknown severity', () => ({ incident: { ...incident(), severity: 'BAD' } })],
  ])('400: %s', async (_, change) => {
    expect((await api.alice.post(path, valid(change()))).status).toBe(400)
  })

  it('409: a name that exists, whatever its case', async () => {
    const first = (await api.alice.post(path, valid({ name: 'Same' }))).body
    expect((await api.alice.post(path, valid({ name: 'SAME' }))).status).toBe(409)
    const other = (await api.alice.post(path, valid())).body
    expect((await api.alice.put(`${path}/${other.id}`, valid({ name: 'same' }))).status).toBe(409)
    expect((await api.alice.put(`${path}/${first.id}`, valid({ name: 'same' }))).status).toBe(200)
    const bobs = (await api.bob.post('/v1/status-pages/services', { name: 'Bob' })).body
    const own = valid({ name: 'Same', incident: { ...incident(), services: [{ id: bobs.id }] } })
    expect((await api.bob.post(path, own)).status).toBe(201)
  })

  it("404: another account's template", async () => {
    const { id } = (await api.alice.post(path, valid())).body
    expect((await api.bob.get(`${path}/${id}`)).status).toBe(404)
    expect((await api.bob.put(`${path}/${id}`, valid())).status).toBe(404)
    expect((await api.bob.delete(`${path}/${id}`)).status).toBe(404)
    expect((await api.bob.post(`${path}/${id}/incidents`)).status).toBe(404)
    const listed = (await api.bob.get(path)).body.map((template: { id: string }) => template.id)
    expect(listed).not.toContain(id)
  })
})
