import type { CheckStateName, OverviewCheck } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refreshSummaries } from '../../analytics/refresh-summaries.ts'
import { rollUpClosedHours } from '../../analytics/roll-up.ts'
import { insertResults } from '../../testing/results.ts'
import { refused, type Simulation, startSimulation } from '../../testing/simulation.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** 200 times as long as the last count may have taken on a busy machine. */
const recountedAfter = 10 * minute

let sim: Simulation
let agent: Awaited<ReturnType<Simulation['operator']>>
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1', 'us-east-1'])
})
afterAll(() => sim.close())

interface Listed {
  total: number
  counts: Record<CheckStateName, number>
  muted: number
  groups: unknown[]
  entries: OverviewCheck[]
}

async function list(query = ''): Promise<Listed> {
  const { status, body, text } = await sim.api.alice.get(`/v1/overview/checks?limit=200&${query}`)
  expect(status, text).toBe(200)
  return body
}

const find = async (id: string) => (await list()).entries.find((entry) => entry.id === id)

/** Minute by minute, with a server that reaps and the agent at work. */
async function live(ms: number, outcome: object = {}): Promise<void> {
  for (const end = sim.now() + ms; sim.now() < end; ) {
    sim.pass(Math.min(minute, end - sim.now()))
    await sim.reap()
    await agent.renew([])
    await agent.report(...(await agent.claim()).map((job) => ({ ...job, ...outcome })))
  }
}

/** The agent is gone. */
async function wait(ms: number): Promise<void> {
  for (const end = sim.now() + ms; sim.now() < end; ) {
    sim.pass(Math.min(minute, end - sim.now()))
    await sim.reap()
  }
}

/** Every check is listed as `/v1/check-statuses` shows it now. Returns the states by name. */
async function agreedStates(): Promise<Record<string, string>> {
  const { entries, counts, total } = await list()
  const { body: statuses } = await sim.api.alice.get('/v1/check-statuses')
  const shown = (all: Record<string, unknown>[], idOf: string) =>
    all
      .map(({ state, since, reason, lastRunAt, nextRunAt, staleLocations, [idOf]: id }) => ({
        ...{ id, state, since, reason, lastRunAt, nextRunAt, staleLocations },
      }))
      .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
  expect(shown(entries, 'id')).toEqual(shown(statuses, 'checkId'))
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total)
  return Object.fromEntries(entries.map(({ name, state }) => [name, state]))
}

describe('the states of an overview are those of the statuses', () => {
  const ids: Record<string, string> = {}
  let groupId: number

  beforeAll(async () => {
    groupId = (await sim.api.alice.post('/v1/check-groups', { name: 'Shop', tags: ['shop'] })).body.id
    const locations = ['eu-west-1', 'us-east-1']
    for (const settings of [
      { name: 'first' },
      { name: 'grouped', groupId },
      { name: 'both', locations, runParallel: true },
      { name: 'turns', locations },
    ]) {
      ids[settings.name] = (await sim.createCheck(settings)).id
    }
  })

  it('after runs, pings and missed runs', async () => {
    const { alice } = sim.api
    const { body: heartbeat } = await alice.post('/v1/checks/heartbeat', {
      name: 'heartbeat',
      heartbeat: { period: 1, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' },
    })
    expect(new Set(Object.values(await agreedStates()))).toEqual(new Set(['unknown']))
    await live(5 * minute)
    expect(await agreedStates()).toMatchObject({ first: 'passing', both: 'passing', heartbeat: 'unknown' })
    await alice.get(`/ping/${heartbeat.heartbeat.pingToken}`)
    expect(await agreedStates()).toMatchObject({ heartbeat: 'passing' })
    await live(minute, refused)
    expect(await agreedStates()).toMatchObject({ first: 'failing', turns: 'failing' })
    // Missed runs: nothing is written until the state is unknown.
    await wait(3 * minute)
    expect(await agreedStates()).toMatchObject({ first: 'failing' })
    await wait(3 * minute)
    expect(await agreedStates()).toMatchObject({ first: 'unknown', both: 'unknown' })
    await live(2 * minute)
    expect(await agreedStates()).toMatchObject({ first: 'passing' })
    await alice.post('/v1/checks/heartbeat', {
      name: 'second heartbeat',
      heartbeat: { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'days' },
    })
    await alice.delete(`/v1/checks/${heartbeat.id}`)
    const states = await agreedStates()
    expect(states).toHaveProperty('second heartbeat')
    expect(states).not.toHaveProperty('heartbeat')
  })

  it('after maintenance and changes of settings', async () => {
    const { alice } = sim.api
    // A window begins and ends between two readings, and another one while it is being looked at.
    const at = (ms: number) => new Date(sim.now() + ms).toISOString()
    const window = { name: 'Upgrade', tags: ['shop'], startsAt: at(minute), endsAt: at(3 * minute) }
    await alice.post('/v1/maintenance-windows', window)
    await agreedStates()
    await live(5 * minute)
    expect(await agreedStates()).toMatchObject({ grouped: 'passing' })
    const { body: open } = await alice.post('/v1/maintenance-windows', {
      ...window,
      ...{ startsAt: at(minute), endsAt: at(2 * hour) },
    })
    await live(2 * minute)
    expect(await agreedStates()).toMatchObject({ grouped: 'maintenance', first: 'passing' })
    await alice.delete(`/v1/maintenance-windows/${open.id}`)
    expect(await agreedStates()).toMatchObject({ grouped: 'passing' })
    await alice.put(`/v1/check-groups/${groupId}`, { activated: false })
    expect(await agreedStates()).toMatchObject({ grouped: 'inactive' })
    await alice.put(`/v1/check-groups/${groupId}`, { activated: true })
    await alice.put(`/v1/checks/url/${ids.first}`, { activated: false })
    expect(await agreedStates()).toMatchObject({ grouped: 'passing', first: 'inactive' })
    await alice.delete(`/v1/checks/${ids.first}`)
    expect(await agreedStates()).not.toHaveProperty('first')
  })

  it('while a location is dead, a run takes long, and its agent is lost', async () => {
    const west = await sim.operator(['eu-west-1'])
    for (let minutes = 0; minutes < 14; minutes++) {
      sim.pass(minute)
      await sim.reap()
      await west.renew([])
      const jobs = minutes <= 8 ? await west.claim({ locations: ['eu-west-1'] }) : []
      await agreedStates()
      if (minutes < 8) await west.report(...jobs)
    }
    expect((await find(ids.grouped ?? ''))?.state).toBe('unknown')
    const settings = { unknownAfterMissedRuns: 50 }
    expect((await sim.api.alice.patch('/v1/accounts/me', { settings })).status).toBe(200)
    expect(await agreedStates()).toMatchObject({ grouped: 'passing' })
  })

  it('and show muted checks, also of a muted group', async () => {
    const { body: group } = await sim.api.alice.post('/v1/check-groups', { name: 'Quiet' })
    const { id } = await sim.createCheck({ name: 'in a muted group', groupId: group.id })
    const { muted } = await list()
    await sim.api.alice.put(`/v1/check-groups/${group.id}`, { muted: true })
    expect((await list()).muted).toBe(muted + 1)
    expect((await list('muted=true')).entries.map((entry) => entry.id)).toContain(id)
    expect((await list('muted=false')).entries.map((entry) => entry.id)).not.toContain(id)
    expect((await sim.api.bob.get('/v1/overview/checks')).body).toMatchObject({
      total: 0,
      muted: 0,
      entries: [],
    })
  })
})

describe('the list of an overview', () => {
  const names = async (query: string) => (await list(`tag=listed&${query}`)).entries.map(({ name }) => name)

  it('is filtered and sorted by each column', async () => {
    const { alice } = sim.api
    const { body: group } = await alice.post('/v1/check-groups', { name: 'Payments' })
    const common = { tags: ['listed'] }
    await sim.createCheck({
      ...common,
      name: 'Shop 10',
      frequency: 5,
      request: { url: 'https://Shop.example.com/a' },
    })
    await sim.createCheck({ ...common, name: 'shop 9', groupId: group.id, locations: ['us-east-1'] })
    await sim.createCheck({
      ...{ ...common, name: 'Mail', checkType: 'TCP', frequency: 0, frequencyOffset: 30 },
      request: { hostname: 'mail.example.com', port: 25 },
    })
    expect(await names('')).toEqual(['Mail', 'shop 9', 'Shop 10'])
    expect(await names('order=desc')).toEqual(['Shop 10', 'shop 9', 'Mail'])
    expect(await names('sort=frequency')).toEqual(['Mail', 'shop 9', 'Shop 10'])
    expect(await names('sort=type&order=desc')).toEqual(['shop 9', 'Shop 10', 'Mail'])
    expect(await names('sort=group')).toEqual(['shop 9', 'Mail', 'Shop 10'])
    expect((await list('tag=listed&sort=group&limit=1')).groups).toMatchObject([
      { groupId: group.id, name: 'Payments', total: 1 },
      { groupId: null, name: null, total: 2, counts: { unknown: 2 } },
    ])
    expect((await list('tag=listed')).groups).toEqual([])
    expect(await names('query=SHOP')).toEqual(['shop 9', 'Shop 10'])
    expect(await names('query=shop%20pay')).toEqual(['shop 9'])
    expect(await names('query=shop.example')).toEqual(['Shop 10'])
    expect(await names('query=mail.ex')).toEqual(['Mail'])
    expect(await names('type=TCP')).toEqual(['Mail'])
    expect(await names('type=TCP&type=URL&limit=1&offset=1')).toEqual(['shop 9'])
    expect(await names('location=us-east-1')).toEqual(['shop 9'])
    expect(await names(`groupId=${group.id}`)).toEqual(['shop 9'])
    expect(await names('state=passing')).toEqual([])
    const { counts, total } = await list('tag=listed&state=passing')
    expect({ counts, total }).toMatchObject({ total: 0, counts: { unknown: 3, passing: 0 } })
    await alice.put(`/v1/check-groups/${group.id}`, { name: 'Orders' })
    expect(await names('query=orders')).toEqual(['shop 9'])
  })

  it('is as old as the caller allows', async () => {
    const { id } = await sim.createCheck({ name: 'Before' })
    const nameOf = async (query: string) => (await list(query)).entries.find((entry) => entry.id === id)?.name
    expect(await nameOf('')).toBe('Before')
    await sim.api.alice.put(`/v1/checks/url/${id}`, { name: 'After' })
    expect(await nameOf('maxAge=2000')).toBe('Before')
    sim.pass(2 * second)
    expect(await nameOf('maxAge=2000')).toBe('After')
    await sim.api.alice.put(`/v1/checks/url/${id}`, { name: 'Later' })
    expect(await nameOf('')).toBe('Later')
    await sim.api.alice.delete(`/v1/checks/${id}`)
  })

  it('400: for a wrong filter, which is named', async () => {
    const { status, body } = await sim.api.alice.get('/v1/overview/checks?state=green&limit=201')
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toMatch(/state.*limit|limit.*state/)
  })
})

describe('the figures of an overview', () => {
  it('count full hours from summaries, and later runs as they are', async () => {
    const { alice, store } = sim.api
    const { id } = await sim.createCheck({ name: 'measured' })
    const start = Math.ceil(sim.now() / hour) * hour
    const run = (at: number, responseTimeMs: number, hasFailures = false) => ({
      ...{ accountId: alice.accountId, checkId: id, checkType: 'URL' as const, scheduledAt: at },
      ...{ responseTimeMs, hasFailures },
    })
    expect(await find(id)).toMatchObject({ availability24h: null, availability7d: null, p95: null, runs: [] })
    const first = Array.from({ length: 10 }, (_, n) => run(start + n * minute, 100 + n * 10, n === 3))
    await insertResults(store, first)
    sim.goTo(start + 10 * minute)
    expect(await find(id)).toMatchObject({ availability24h: 90, availability7d: 90, p95: 185.5 })
    expect((await find(id))?.runs).toEqual(
      first.map((_, n) => ({ state: n === 3 ? 'failing' : 'passing', duration: 100 + n * 10 })),
    )
    sim.goTo(start + hour + 3 * minute)
    await rollUpClosedHours(store.pool, sim.now())
    await refreshSummaries(store.pool, sim.now())
    expect(await refreshSummaries(store.pool, sim.now())).toBe(0)
    const p95 = (await find(id))?.p95 ?? 0
    expect(Math.abs(p95 - 185.5)).toBeLessThan(2)
    expect(await find(id)).toMatchObject({ availability24h: 90, availability7d: 90 })
    await insertResults(store, [run(start + hour + minute, 500, true), run(start + hour + 2 * minute, 500)])
    sim.pass(recountedAfter)
    expect(await find(id)).toMatchObject({ availability24h: 83.3333, p95 })
    // A late result counts when its hour is rolled up again.
    await insertResults(store, [run(start + 30 * minute, 100, true)], sim.now())
    await rollUpClosedHours(store.pool, sim.now())
    await refreshSummaries(store.pool, sim.now())
    sim.pass(recountedAfter)
    expect(await find(id)).toMatchObject({ availability24h: 76.9231, availability7d: 76.9231 })
    const sorted = (await list('sort=availability24h')).entries.map(({ availability24h }) => availability24h)
    expect(sorted.indexOf(76.9231)).toBeLessThan(sorted.indexOf(null))
    // Hours leave the last day without a new run.
    sim.pass(25 * hour)
    await rollUpClosedHours(store.pool, sim.now())
    await refreshSummaries(store.pool, sim.now())
    expect(await find(id)).toMatchObject({ availability24h: null, availability7d: 76.9231 })
    sim.pass(7 * 24 * hour)
    await refreshSummaries(store.pool, sim.now())
    expect(await find(id)).toMatchObject({ availability24h: null, availability7d: null })
    expect(await refreshSummaries(store.pool, sim.now() + hour)).toBe(0)
  })

  it('has the last 30 runs, and none of our own errors', async () => {
    const { alice, store } = sim.api
    const { id } = await sim.createCheck({ name: 'often' })
    const start = sim.now()
    const some = Array.from({ length: 35 }, (_, n) => ({
      ...{ accountId: alice.accountId, checkId: id, checkType: 'URL' as const },
      ...{ scheduledAt: start + n * second, isDegraded: n % 2 === 1, hasErrors: n === 34 },
      responseTimeMs: n + 0.4,
    }))
    await insertResults(store, some)
    const runs = (await find(id))?.runs ?? []
    expect(runs.map(({ duration }) => duration)).toEqual(Array.from({ length: 30 }, (_, n) => n + 4))
    expect(runs.map(({ state }) => state).slice(0, 2)).toEqual(['passing', 'degraded'])
  })
})
