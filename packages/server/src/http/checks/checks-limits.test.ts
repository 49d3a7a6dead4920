import { randomUUID } from 'node:crypto'
import { type CheckType, checkTypes, plans } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let hobbyist: Caller
beforeAll(async () => {
  api = await startTestApi()
  hobbyist = await api.newAccount('hobby')
})
afterAll(() => api.close())

const post = (caller: Caller, type: CheckType, changes: object = {}) =>
  caller.post(`/v1/checks/${checkTypes[type].path}`, {
    ...checkTypes[type].example,
    frequency: 10,
    ...changes,
  })

async function fill(caller: Caller, type: CheckType, count: number): Promise<void> {
  for (let index = 0; index < count; index++) expect(await post(caller, type)).toMatchObject({ status: 201 })
}

describe('402: the plan ends', () => {
  it.each([
    ['API', ['API', 'MULTI_STEP'], 'API_CHECKS'],
    ['BROWSER', ['BROWSER'], 'BROWSER_CHECKS'],
    ['PLAYWRIGHT', ['PLAYWRIGHT'], 'PLAYWRIGHT_CHECKS'],
    ['TCP', ['TCP', 'URL', 'DNS', 'ICMP'], 'UPTIME_MONITORS'],
    ['HEARTBEAT', ['HEARTBEAT'], 'HEARTBEAT_MONITORS'],
  ] as const)('when it has as many as it allows of what %s counts as', async (type, refused, entitlement) => {
    const caller = await api.newAccount('hobby')
    await fill(caller, type, plans.hobby.quantities[entitlement] as number)
    for (const other of refused) {
      const response = await post(caller, other)
      expect(response.status).toBe(402)
      expect(response.body.attributes).toMatchObject({ entitlement })
    }
    const generic = await caller.post('/v1/checks', {
      ...checkTypes[type].example,
      frequency: 10,
      checkType: type,
    })
    expect(generic.status).toBe(402)
  })

  it("two concurrent creates don't both get the last one", async () => {
    const caller = await api.newAccount('hobby')
    const responses = await Promise.all(Array.from({ length: 5 }, () => post(caller, 'PLAYWRIGHT')))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 402, 402, 402, 402])
  })

  it.each([
    ['AGENTIC', {}, 'AGENTIC_CHECKS'],
    ['API', { runParallel: true }, 'PARALLEL_SCHEDULING'],
    ['URL', { frequency: 0, frequencyOffset: 10 }, 'HIGH_FREQUENCY'],
    [
      'API',
      { triggerIncident: { serviceId: randomUUID(), name: 'x', description: '' } },
      'INCIDENT_AUTOMATION',
    ],
  ] as const)('for a feature that it lacks: %s %j', async (type, changes, entitlement) => {
    const { status, body } = await post(hobbyist, type, changes)
    expect(status).toBe(402)
    expect(body.attributes).toEqual({ entitlement })
  })

  it('for more locations than it allows', async () => {
    const locations = ['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2']
    expect((await post(hobbyist, 'TCP', { locations })).status).toBe(402)
    expect((await post(hobbyist, 'TCP', { locations: locations.slice(0, 3) })).status).toBe(201)
  })

  it('for an update that switches a feature on, not for one that leaves it', async () => {
    const caller = await api.newAccount()
    const { body } = await post(caller, 'API', { frequency: 0, frequencyOffset: 20, runParallel: true })
    await api.store.db
      .updateTable('accounts')
      .set({ plan: 'hobby' })
      .where('id', '=', caller.accountId)
      .execute()
    const path = `/v1/checks/api/${body.id}`
    expect((await caller.put(path, { name: 'same features', runParallel: true })).status).toBe(200)
    expect((await caller.put(path, { runParallel: false })).status).toBe(200)
    expect((await caller.put(path, { runParallel: true })).status).toBe(402)
  })
})
