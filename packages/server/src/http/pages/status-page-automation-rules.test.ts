import { randomUUID } from 'node:crypto'
import { rulesPerPage } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

/** A page with a group and a service in it. */
async function newPage(owner: Caller = api.alice) {
  const url = `p-${randomUUID().slice(0, 13)}`
  const { id } = (await owner.post('/v1/status-pages', { name: 'Shop', url, version: 3 })).body
  const components = `/v1/status-pages/${id}/components`
  const group = (await owner.post(components, { type: 'GROUP', name: 'Group' })).body
  const service = (await owner.post(components, { name: 'API', parentId: group.id })).body
  return { id, components, group, service, path: `/v1/status-pages/${id}/automation-rules` }
}

const ruleFor = (...componentIds: string[]) => ({
  name: 'API down',
  tags: ['api'],
  firstUpdate: 'We look',
  lastUpdate: 'Done',
  components: componentIds.map((componentId) => ({ componentId, targetImpact: 'MAJOR_OUTAGE' })),
})

describe('POST /v1/status-pages/{statusPageId}/automation-rules', () => {
  it('201: with defaults, and what a published client sends reads back', async () => {
    const { id, path, service, group } = await newPage()
    const created = await api.alice.post(path, ruleFor(service.id))
    expect(created.status, created.text).toBe(201)
    expect(created.body).toEqual({
      ...ruleFor(service.id),
      id: expect.any(String),
      statusPageId: id,
      enabled: true,
      notifySubscribers: true,
      coolDownWindowMinutes: 5,
      created_at: expect.any(String),
      updated_at: null,
    })
    const sent = {
      ...{ statusPageId: id, name: 'Rule', enabled: false, firstUpdate: 'We look', lastUpdate: 'Done' },
      ...{ notifySubscribers: false, tags: ['prod', 'eu'], coolDownWindowMinutes: 0 },
      components: [
        { componentId: service.id, targetImpact: 'PARTIAL_OUTAGE' },
        { componentId: group.id, targetImpact: 'DEGRADED_PERFORMANCE' },
      ],
    }
    const { body } = await api.alice.post(path, sent)
    expect(body).toMatchObject(sent)
    expect((await api.alice.get(`${path}/${body.id}`)).body).toEqual(body)
    expect((await api.alice.get(path)).body).toEqual([created.body, body])
  })

  it('400: names every wrong field', async () => {
    const { path, service } = await newPage()
    const { status, body } = await api.alice.post(path, {
      ...{ enabled: 'yes', tags: [], firstUpdate: '', coolDownWindowMinutes: 1441 },
      components: [{ componentId: service.id, targetImpact: 'BAD' }],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).toSorted()).toEqual([
      'components.0.targetImpact',
      'coolDownWindowMinutes',
      'enabled',
      'firstUpdate',
      'lastUpdate',
      'name',
      'tags',
    ])
    const twice = await api.alice.post(path, ruleFor(service.id, service.id.toUpperCase()))
    expect(twice.body.attributes).toEqual({ 'components.1.componentId': 'is listed twice' })
    expect((await api.alice.post(path, ruleFor())).body.attributes).toHaveProperty('components')
  })

  it('400: components of another page, of another account, or unknown', async () => {
    const [{ path, service }, other, foreign] = [await newPage(), await newPage(), await newPage(api.bob)]
    const sent = ruleFor(service.id, other.service.id, foreign.service.id, randomUUID())
    const { status, body } = await api.alice.post(path, sent)
    const message = "isn't a component of this status page"
    expect([status, body.attributes]).toEqual([
      400,
      Object.fromEntries([1, 2, 3].map((index) => [`components.${index}.componentId`, message])),
    ])
    expect((await api.alice.get(path)).body).toEqual([])
  })

  it('409: a page is full', async () => {
    const { id, path, service } = await newPage()
    await api.store.pool.query(
      `insert into status_page_automation_rules (id, account_id, status_page_id, name, enabled, tags, first_update,
         last_update, notify_subscribers, cool_down_minutes)
       select gen_random_uuid(), $1, $2, 'Rule', true, '{x}', 'a', 'b', true, 5 from generate_series(1, $3)`,
      [api.alice.accountId, id, rulesPerPage],
    )
    expect((await api.alice.post(path, ruleFor(service.id))).status).toBe(409)
  })

  it('404: another account; 403: a reader', async () => {
    const { path, service } = await newPage()
    expect((await api.bob.post(path, ruleFor(service.id))).status).toBe(404)
    expect((await api.bob.get(path)).status).toBe(404)
    expect((await (await api.as('READ_ONLY')).post(path, ruleFor(service.id))).status).toBe(403)
  })
})

describe('an automation rule', () => {
  it('200: PUT changes only what is sent', async () => {
    const { path, service, group } = await newPage()
    const before = (await api.alice.post(path, ruleFor(service.id))).body
    const disabled = await api.alice.put(`${path}/${before.id}`, { enabled: false })
    expect(disabled.body).toEqual({ ...before, enabled: false, updated_at: expect.any(String) })
    const components = [{ componentId: group.id, targetImpact: 'PARTIAL_OUTAGE' }]
    const { body } = await api.alice.put(`${path}/${before.id}`, { ...before, components })
    expect(body).toMatchObject({ enabled: true, components })
    expect(
      (await api.alice.put(`${path}/${before.id}`, { components: ruleFor(randomUUID()).components })).status,
    ).toBe(400)
    expect((await api.alice.get(`${path}/${before.id}`)).body).toEqual(body)
  })

  it('200: loses a component that is deleted', async () => {
    const { path, components, service, group } = await newPage()
    const { id } = (await api.alice.post(path, ruleFor(service.id, group.id))).body
    expect((await api.alice.delete(`${components}/${service.id}`)).status).toBe(204)
    expect((await api.alice.get(`${path}/${id}`)).body.components).toMatchObject([{ componentId: group.id }])
  })

  it('204: is deleted, and with its page', async () => {
    const { id, path, service } = await newPage()
    const rules = [
      await api.alice.post(path, ruleFor(service.id)),
      await api.alice.post(path, ruleFor(service.id)),
    ]
    const [first] = rules.map(({ body }) => body)
    expect((await api.alice.delete(`${path}/${first.id}`)).status).toBe(204)
    expect((await api.alice.delete(`${path}/${first.id}`)).status).toBe(404)
    expect((await api.alice.delete(`/v1/status-pages/${id}`)).status).toBe(204)
    expect((await api.alice.get(path)).status).toBe(404)
  })

  it('404: another account, another page', async () => {
    const [{ path, service }, other] = [await newPage(), await newPage()]
    const { id } = (await api.alice.post(path, ruleFor(service.id))).body
    for (const [caller, at] of [
      [api.bob, path],
      [api.alice, other.path],
    ] as const) {
      expect((await caller.get(`${at}/${id}`)).status).toBe(404)
      expect((await caller.put(`${at}/${id}`, { name: 'x' })).status).toBe(404)
      expect((await caller.delete(`${at}/${id}`)).status).toBe(404)
    }
    expect((await api.alice.get(`${path}/${id}`)).body.name).toBe('API down')
  })
})
