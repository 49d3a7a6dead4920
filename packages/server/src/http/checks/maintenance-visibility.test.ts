import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const path = '/v1/maintenance-windows'
const window = { name: 'Release', startsAt: '2026-11-20T08:00:00Z', endsAt: '2026-11-20T09:00:00Z' }
const defaults = {
  enabled: false,
  severity: null,
  affectAllServices: false,
  suppressAutoIncidents: false,
  notifyOnStart: false,
  notifyOnEnd: false,
  reminderMinutesBefore: [],
  autoStart: true,
  autoEnd: true,
  showAffectedServices: true,
  statusPageIds: [],
  serviceIds: [],
}

async function scene(owner: Caller = api.alice) {
  const service = (await owner.post('/v1/status-pages/services', { name: 'Shop' })).body.id as string
  const url = `p-${randomUUID().slice(0, 13)}`
  const page = (await owner.post('/v1/status-pages', { name: 'Acme', url, cards: [] })).body.id as string
  const published = { enabled: true, statusPageIds: [page], serviceIds: [service] }
  const create = (statusPageVisibility: unknown) => owner.post(path, { ...window, statusPageVisibility })
  return { service, page, published, create }
}

describe('the visibility of a maintenance window', () => {
  it('has defaults, and stores every field', async () => {
    const { create, published } = await scene()
    expect((await create({})).body.statusPageVisibility).toEqual(defaults)
    const all = {
      ...published,
      severity: 'MINOR',
      affectAllServices: true,
      suppressAutoIncidents: true,
      notifyOnStart: true,
      notifyOnEnd: true,
      reminderMinutesBefore: [10_080, 1440, 60],
      autoStart: false,
      autoEnd: false,
      showAffectedServices: false,
    }
    const { body } = await create(all)
    expect(body.statusPageVisibility).toEqual(all)
    expect((await api.alice.get(`${path}/${body.id}`)).body).toEqual(body)
    expect((await api.alice.get(`${path}?limit=100`)).body).toContainEqual(body)
  })

  it('is replaced as a whole, kept when it is absent, and removed by null', async () => {
    const { create, published, page } = await scene()
    const { id } = (await create({ ...published, severity: 'MAJOR' })).body
    const change = async (body: unknown) => (await api.alice.put(`${path}/${id}`, body)).body
    expect(await change({ name: 'New' })).toMatchObject({ statusPageVisibility: { severity: 'MAJOR' } })
    const replaced = { enabled: true, affectAllServices: true, statusPageIds: [page.toUpperCase()] }
    const { statusPageVisibility } = await change({ statusPageVisibility: replaced })
    expect(statusPageVisibility).toEqual({ ...defaults, ...replaced, statusPageIds: [page] })
    expect(await change({ statusPageVisibility: null })).toMatchObject({ statusPageVisibility: null })
  })

  it.each([
    ['no page', { statusPageIds: [] }, 'statusPageVisibility.statusPageIds'],
    ['no service', { serviceIds: [] }, 'statusPageVisibility.serviceIds'],
    [
      'four reminders',
      { reminderMinutesBefore: [60, 61, 62, 63] },
      'statusPageVisibility.reminderMinutesBefore',
    ],
    ['a reminder too late', { reminderMinutesBefore: [59] }, 'statusPageVisibility.reminderMinutesBefore.0'],
    [
      'a reminder too early',
      { reminderMinutesBefore: [10_081] },
      'statusPageVisibility.reminderMinutesBefore.0',
    ],
    ['a reminder twice', { reminderMinutesBefore: [60, 60] }, 'statusPageVisibility.reminderMinutesBefore.1'],
    ['an unknown severity', { severity: 'HUGE' }, 'statusPageVisibility.severity'],
    ['an unknown page', { statusPageIds: [randomUUID()] }, 'statusPageVisibility.statusPageIds.0'],
    ['an unknown service', { serviceIds: [randomUUID()] }, 'statusPageVisibility.serviceIds.0'],
  ])('400: %s', async (_, change, field) => {
    const { create, published } = await scene()
    const { status, body } = await create({ ...published, ...change })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([field])
  })

  it('400: pages and services of another account, on creation and on update', async () => {
    const { create, published } = await scene()
    const foreign = await scene(api.bob)
    const fields = ['statusPageVisibility.serviceIds.0', 'statusPageVisibility.statusPageIds.0']
    const refused = await create(foreign.published)
    expect([refused.status, Object.keys(refused.body.attributes)]).toEqual([400, fields])
    const { body: own } = await create(published)
    const update = await api.alice.put(`${path}/${own.id}`, { statusPageVisibility: foreign.published })
    expect([update.status, Object.keys(update.body.attributes)]).toEqual([400, fields])
    expect((await api.alice.get(`${path}/${own.id}`)).body).toEqual(own)
  })

  it('400: a published window of more than 90 days, also when only its end changes', async () => {
    const { published } = await scene()
    const long = { ...window, endsAt: '2027-02-18T08:00:01Z' }
    const refused = await api.alice.post(path, { ...long, statusPageVisibility: published })
    expect([refused.status, Object.keys(refused.body.attributes)]).toEqual([400, ['endsAt']])
    expect((await api.alice.post(path, long)).status).toBe(201)
    const { id } = (await api.alice.post(path, { ...window, statusPageVisibility: published })).body
    expect((await api.alice.put(`${path}/${id}`, { endsAt: long.endsAt })).status).toBe(400)
  })

  it('forgets deleted pages and services; what stays can be changed', async () => {
    const { create, published, page, service } = await scene()
    const other = await scene()
    const both = {
      ...published,
      statusPageIds: [page, other.page],
      serviceIds: [service, other.service],
    }
    const { id } = (await create(both)).body
    expect((await api.alice.delete(`/v1/status-pages/${page.toUpperCase()}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/status-pages/services/${service}`)).status).toBe(204)
    const { body } = await api.alice.get(`${path}/${id}`)
    expect(body.statusPageVisibility).toMatchObject(other.published)
    await api.alice.delete(`/v1/status-pages/${other.page}`)
    const renamed = await api.alice.put(`${path}/${id}`, { name: 'New' })
    expect(renamed.body).toMatchObject({ name: 'New', statusPageVisibility: { statusPageIds: [] } })
  })

  it('forgets a service that is only marked as deleted, because incidents name it', async () => {
    const { create, published, service } = await scene()
    await api.alice.post('/v1/status-pages/incidents', {
      name: 'Down',
      severity: 'MAJOR',
      services: [{ id: service }],
      incidentUpdates: [{ description: 'We look.' }],
    })
    const { id } = (await create(published)).body
    expect((await api.alice.delete(`/v1/status-pages/services/${service}`)).status).toBe(204)
    expect((await api.alice.get(`${path}/${id}`)).body.statusPageVisibility.serviceIds).toEqual([])
  })

  it('404: another account neither deletes the page nor cleans windows', async () => {
    const { create, published, page } = await scene()
    const { id } = (await create(published)).body
    expect((await api.bob.delete(`/v1/status-pages/${page}`)).status).toBe(404)
    expect((await api.alice.get(`${path}/${id}`)).body.statusPageVisibility.statusPageIds).toEqual([page])
  })
})
