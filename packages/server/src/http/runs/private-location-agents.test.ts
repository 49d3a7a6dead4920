import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAgentKey } from '../../storage/accounts/agent-keys.ts'
import { agentGoneAfterMs, listLiveRegions, touchAgents } from '../../storage/runs/agents.ts'
import { insertQueueSamples } from '../../storage/runs/private-location-metrics.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now = Date.parse('2026-11-15T08:00:30.000Z')
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const path = '/v1/private-locations'
let count = 0
async function newLocation() {
  const { body } = await api.alice.post(path, { name: 'Office', slugName: `office-${count++}` })
  return body
}

const agent = (more: object) => ({
  id: randomUUID(),
  accountId: null,
  privateLocationId: null,
  agentKeyId: null,
  locations: [],
  version: '1.2.0',
  state: 'running' as const,
  facts: {},
  startedAtMs: now,
  ...more,
})

describe('the agents of a private location', () => {
  it('are counted by version while they are connected, and remembered afterwards', async () => {
    const { id } = await newLocation()
    const { pool } = api.store
    const ofLocation = { accountId: api.alice.accountId, privateLocationId: id }
    const [old, fresh, gone] = [
      agent({ ...ofLocation, version: '0.0.9' }),
      agent(ofLocation),
      agent({ ...ofLocation, version: '0.0.1' }),
    ]
    await touchAgents(pool, [gone], now - agentGoneAfterMs - 1)
    await touchAgents(pool, [old], now - 5000)
    await touchAgents(pool, [fresh], now)
    const { body } = await api.alice.get(`${path}/${id}`)
    const at = (ms: number) => new Date(ms).toISOString()
    expect(body).toMatchObject({
      lastSeen: at(now),
      agentCount: 2,
      minAgentVersion: '0.0.9',
      runningAgents: [
        {
          version: '0.0.9',
          isOutdated: true,
          count: 1,
          agents: [{ id: old.id, lastSeenAt: at(now - 5000) }],
        },
        { version: '1.2.0', isOutdated: false, count: 1, agents: [{ id: fresh.id, lastSeenAt: at(now) }] },
      ],
    })
    const plain = (await api.alice.get(path)).body.find((entry: { id: string }) => entry.id === id)
    expect(plain).toMatchObject({ agentCount: 2, lastSeen: at(now) })
    expect(plain).not.toHaveProperty('runningAgents')
    const full = (await api.alice.get(`${path}?versions=true`)).body.find(
      (entry: { id: string }) => entry.id === id,
    )
    expect(full).toMatchObject({ minAgentVersion: '0.0.9' })
    expect(full.runningAgents).toHaveLength(2)

    now += agentGoneAfterMs + 1
    expect((await api.alice.get(`${path}/${id}`)).body).toMatchObject({
      lastSeen: at(now - agentGoneAfterMs - 1),
      agentCount: 0,
      minAgentVersion: null,
      runningAgents: [],
    })
  })

  it('can’t be taken over with the key of another location', async () => {
    const [one, other] = [await newLocation(), await newLocation()]
    const { pool } = api.store
    const mine = agent({ accountId: api.alice.accountId, privateLocationId: one.id })
    expect(await touchAgents(pool, [mine], now)).toEqual(new Set([mine.id]))
    for (const more of [{ privateLocationId: other.id }, { privateLocationId: null, accountId: null }])
      expect(await touchAgents(pool, [{ ...mine, ...more }], now)).toEqual(new Set())
    expect((await api.alice.get(`${path}/${other.id}`)).body.agentCount).toBe(0)
  })
})

describe('listLiveRegions', () => {
  it('are those that a running agent of the operator serves', async () => {
    const { db, pool } = api.store
    const { id: agentKeyId } = await insertAgentKey(db, 'Frankfurt')
    await touchAgents(pool, [agent({ agentKeyId, locations: ['eu-central-1', 'eu-west-1'] })], now)
    await touchAgents(pool, [agent({ agentKeyId, locations: ['us-east-1'], state: 'draining' })], now)
    await touchAgents(pool, [agent({ agentKeyId, locations: ['us-west-1'] })], now - agentGoneAfterMs - 1)
    await touchAgents(pool, [agent({ locations: ['ap-south-1'] })], now)
    expect([...(await listLiveRegions(pool, now))].sort()).toEqual(['eu-central-1', 'eu-west-1'])
  })
})

describe('GET /v1/private-locations/{id}/metrics', () => {
  async function queueUp(queue: string, dueMs: number) {
    const { body: check } = await api.alice.post('/v1/checks/url', {
      name: 'One',
      activated: false,
      request: { url: 'https://example.com' },
    })
    await api.store.pool.query(
      `insert into schedule (account_id, check_id, lane, locations, queues, slot_at, location, queue, due_at)
       values ($1, $2, $3, '{office}', array[$4], $5, 'office', $4, $5)`,
      [api.alice.accountId, check.id, randomUUID(), queue, new Date(dueMs)],
    )
  }

  it('200: the length of the queue by minute, measured once by any number of servers', async () => {
    const { id } = await newLocation()
    const from = Math.floor(now / 60_000) * 60
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
    await insertQueueSamples(api.store.pool, now)
    await queueUp(id, now - 90_000)
    await queueUp(id, now - 1000)
    await queueUp(id, now + 600_000)
    now += 60_000
    await Promise.all([1, 2].map(() => insertQueueSamples(api.store.pool, now)))
    const { status, body } = await api.alice.get(`${path}/${id}/metrics?from=${from}&to=${from + 3600}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      timestamps: [iso(from), iso(from + 60)],
      queueSize: [0, 2],
      oldestScheduledCheckRun: [0, 150],
    })
    expect(
      (await api.alice.get(`${path}/${id}/metrics?from=${from + 60}&to=${from + 61}`)).body.timestamps,
    ).toEqual([iso(from + 60)])
    expect((await api.alice.get(`${path}/${id}/metrics`)).body.timestamps).toHaveLength(2)
  })

  it('400: too long ago, or backwards', async () => {
    const { id } = await newLocation()
    const seconds = Math.floor(now / 1000)
    const old = await api.alice.get(`${path}/${id}/metrics?from=${seconds - 16 * 86_400}&to=${seconds}`)
    expect(old.status).toBe(400)
    expect(old.body.attributes).toHaveProperty('from')
    const backwards = await api.alice.get(`${path}/${id}/metrics?from=${seconds}&to=${seconds - 60}`)
    expect(backwards.status).toBe(400)
  })

  it('404: for a location of another account', async () => {
    const { id } = await newLocation()
    expect((await api.bob.get(`${path}/${id}/metrics`)).status).toBe(404)
  })
})
