import { randomUUID } from 'node:crypto'
import type { LocationStatus } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAgentKey } from '../../storage/accounts/agent-keys.ts'
import { agentGoneAfterMs, touchAgents } from '../../storage/runs/agents.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

let api: TestApi
let now = Date.parse('2026-11-15T08:30:00.000Z')
let locationId: string
let checkId: string

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  const location = await api.alice.post('/v1/private-locations', { name: 'Office', slugName: 'office' })
  locationId = location.body.id
  const check = await api.alice.post('/v1/checks/url', {
    ...{ name: 'Intranet', frequency: 1, locations: ['eu-west-1'], privateLocations: ['office'] },
    request: { url: 'https://example.com' },
  })
  checkId = check.body.id
  await insertResults(
    api.store,
    [100, 300, 2000].map((lag, index) => ({
      ...{ accountId: api.alice.accountId, checkId, checkType: 'URL' as const, location: 'office' },
      ...{ scheduledAt: now - (index + 1) * 60_000, startedAt: now - (index + 1) * 60_000 + lag },
    })),
  )
})
afterAll(() => api.close())

const agent = (more: object) => ({
  ...{ id: randomUUID(), accountId: null, privateLocationId: null, agentKeyId: null, locations: [] },
  ...{ version: '1.2.0', state: 'running' as const, facts: {}, startedAtMs: now, name: 'box' },
  ...more,
})

async function statusOf(location: string): Promise<LocationStatus> {
  const { status, body, text } = await api.alice.get('/v1/location-statuses')
  expect(status, text).toBe(200)
  return body.find((one: LocationStatus) => one.location === location)
}

describe('the status of a location', () => {
  it('has its agents with what they report about themselves', async () => {
    const facts = {
      ...{
        checkTypes: ['URL', 'UNHEARD_OF'],
        slots: { network: 500, code: 4 },
        running: { network: 3, code: 0 },
      },
      ...{ codeSandbox: { level: 'strong' }, network: 'public' },
    }
    const own = { accountId: api.alice.accountId, privateLocationId: locationId }
    await touchAgents(api.store.pool, [agent({ ...own, facts })], now)
    await touchAgents(
      api.store.pool,
      [agent({ ...own, name: 'old', version: '0.0.1' })],
      now - agentGoneAfterMs - 1,
    )
    const office = await statusOf('office')
    expect(office).toMatchObject({ name: 'Office', privateLocationId: locationId, checkCount: 1 })
    expect(office.agents).toMatchObject([
      {
        ...{ name: 'box', kind: 'private', state: 'running', checkTypes: ['URL'], isOutdated: false },
        ...{ slots: { network: 500, code: 4 }, running: { network: 3, code: 0 } },
        ...{ isolation: 'strong', network: 'public' },
      },
      { name: 'old', state: 'gone', isOutdated: true, slots: null, isolation: null },
    ])
  })

  it('has the lag of the last runs, and what waits', async () => {
    const { lag } = await statusOf('office')
    expect(lag).toEqual({ runs: 3, p50: 300, p95: 2000, max: 2000 })
    const before = (await statusOf('office')).waiting.runs + (await statusOf('eu-west-1')).waiting.runs
    expect(before).toBe(0)
    now += 90_000
    const { body } = await api.alice.get('/v1/location-statuses/office')
    const other = await statusOf('eu-west-1')
    expect(body.waiting.runs + other.waiting.runs).toBe(1)
    const detail =
      body.waiting.runs === 1 ? body : (await api.alice.get('/v1/location-statuses/eu-west-1')).body
    expect(detail.waitingRuns).toMatchObject([{ checkId, name: 'Intranet', checkType: 'URL' }])
    expect(body.hours).toEqual([{ hour: '2026-11-15T08:00:00.000Z', executed: 3, skipped: 0, missed: 0 }])
    expect(body.alarms).toEqual([])
  })

  it('leaves regions to the agents of the operator', async () => {
    await touchAgents(
      api.store.pool,
      [agent({ name: 'built-in', locations: ['eu-west-1', 'eu-west-2'] })],
      now,
    )
    const { id } = await insertAgentKey(api.store.db, 'Ireland')
    const operator = agent({ name: 'ireland', locations: ['eu-west-1'], agentKeyId: id })
    await touchAgents(api.store.pool, [operator], now)
    expect((await statusOf('eu-west-1')).agents).toMatchObject([{ name: 'ireland', kind: 'operator' }])
    expect((await statusOf('eu-west-2')).agents).toMatchObject([{ name: 'built-in', kind: 'built-in' }])
  })

  it('belongs to its account', async () => {
    expect((await api.bob.get('/v1/location-statuses/office')).status).toBe(404)
    const { body } = await api.bob.get('/v1/location-statuses')
    expect(body.map(({ location }: LocationStatus) => location)).not.toContain('office')
    expect(body[0]).toMatchObject({ checkCount: 0, waiting: { runs: 0 } })
  })
})
