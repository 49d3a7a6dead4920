import type { getOverview, ResponseOf } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertResults } from '../../testing/results.ts'
import { refused, type Simulation, startSimulation } from '../../testing/simulation.ts'

const minute = 60_000

let sim: Simulation
let agent: Awaited<ReturnType<Simulation['operator']>>
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1', 'us-east-1'])
})
afterAll(() => sim.close())

async function home(): Promise<ResponseOf<typeof getOverview>> {
  const { status, body, text } = await sim.api.alice.get('/v1/overview')
  expect(status, text).toBe(200)
  return body
}

/** Minute by minute; `outcomeOf` by the name of the check. */
async function live(minutes: number, outcomeOf: (name: string) => object = () => ({})): Promise<void> {
  for (let passed = 0; passed < minutes; passed++) {
    sim.pass(minute)
    await sim.reap()
    await agent.renew([])
    const jobs = await agent.claim()
    await agent.report(...jobs.map((job) => ({ ...job, ...outcomeOf(job.check.name) })))
  }
}

const failed = (message: string) => ({ ...refused, failure: { ...refused.failure, message } })
const url = (host: string) => ({ request: { url: `https://${host}/` } })

describe('GET /v1/overview', () => {
  it('200: of an account without checks', async () => {
    const { body } = await sim.api.bob.get('/v1/overview')
    expect(body).toMatchObject({ total: 0, muted: 0, lastRunAt: null, attention: [], recent: [] })
    expect(body.coverage).toEqual({ expected: 0, executed: 0, skipped: 0, missed: 0, sentence: null })
  })

  it('200: what is wrong, grouped by what the checks share, the latest first', async () => {
    for (const n of [1, 2, 3]) await sim.createCheck({ name: `shop ${n}`, ...url('shop.example.com') })
    for (const host of ['a', 'b'])
      await sim.createCheck({ name: `dns ${host}`, ...url(`${host}.example.com`) })
    const both = { locations: ['eu-west-1', 'us-east-1'], runParallel: true }
    for (const host of ['c', 'd'])
      await sim.createCheck({ name: `one ${host}`, ...both, ...url(`${host}.example.com`) })
    await sim.createCheck({ name: 'alone', ...url('alone.example.com') })
    const muted = await sim.createCheck({ name: 'muted', muted: true, ...url('muted.example.com') })
    await sim.createCheck({ name: 'fine', ...url('fine.example.com') })
    await live(3)
    expect(await home()).toMatchObject({ attention: [], counts: { passing: 10 }, muted: 1 })
    const outcomes: Record<string, object> = {
      shop: failed('connection refused'),
      dns: failed('getaddrinfo ENOTFOUND'),
      muted: failed('broken'),
    }
    await live(1, (name) => outcomes[name.split(' ')[0] ?? ''] ?? {})
    await live(
      1,
      (name) => outcomes[name.split(' ')[0] ?? ''] ?? (name === 'alone' ? failed('Status 500') : {}),
    )
    const { attention, counts, lastRunAt, coverage } = await home()
    expect(counts).toMatchObject({ failing: 7, passing: 3 })
    expect(attention).toMatchObject([
      { label: 'alone', groupedBy: null, total: 1, reason: 'Status 500.', locations: ['eu-west-1'] },
      { label: '3 checks of shop.example.com fail: connection refused', groupedBy: 'host', total: 3 },
      { label: '2 checks fail: getaddrinfo ENOTFOUND', groupedBy: 'error', total: 2 },
    ])
    expect(attention[1]?.checks.map(({ name }) => name).sort()).toEqual(['shop 1', 'shop 2', 'shop 3'])
    expect(attention[1]?.checks[0]?.runs.at(-1)).toMatchObject({ state: 'failing' })
    expect(Date.parse(lastRunAt ?? '')).toBeLessThanOrEqual(sim.now())
    expect(coverage.expected).toBe(coverage.executed + coverage.skipped + coverage.missed)
    expect(coverage).toMatchObject({ missed: 0, sentence: null })
    await sim.api.alice.put(`/v1/checks/url/${muted.id}`, { muted: false })
    expect((await home()).attention.map(({ label }) => label)).toContain('muted')
    await sim.api.alice.put(`/v1/checks/url/${muted.id}`, { activated: false })
    expect((await home()).attention.map(({ label }) => label)).not.toContain('muted')
  })

  it('200: checks that fail in one of their locations only, and those that no agent runs', async () => {
    await live(2)
    const { body: checks } = await sim.api.alice.get('/v1/checks?limit=100')
    const failing = checks.filter(({ name }: { name: string }) => name.startsWith('one '))
    await insertResults(
      sim.api.store,
      failing.flatMap(({ id }: { id: string }, index: number) =>
        ['eu-west-1', 'us-east-1'].map((location) => ({
          ...{ accountId: sim.api.alice.accountId, checkId: id, checkType: 'URL', location },
          scheduledAt: sim.now() + (location === 'us-east-1' ? 1 : 0),
          ...(location === 'us-east-1' && {
            ...{ hasFailures: true, failure: { ...refused.failure, message: `cause ${'xy'[index]}` } },
          }),
        })),
      ),
    )
    expect((await home()).attention).toMatchObject([
      { label: '2 checks fail in N. Virginia', groupedBy: 'location', locations: ['us-east-1'], total: 2 },
    ])
    for (let minutes = 0; minutes < 6; minutes++) {
      sim.pass(minute)
      await sim.reap()
    }
    const { attention, coverage } = await home()
    expect(attention.map(({ state, label, total }) => ({ state, label, total }))).toContainEqual({
      state: 'unknown',
      label: "9 checks aren't running: the locations Ireland and N. Virginia have no connected agent",
      total: 9,
    })
    expect(coverage.missed).toBeGreaterThan(0)
    expect(coverage.sentence).toMatch(
      /^\d+ of \d+ runs were missed in the last 24 hours: \d+ because no agent ran them\.$/,
    )
  })

  it('200: alerts, incidents, deployments and changes of the last day', async () => {
    const { alice } = sim.api
    await alice.post('/v1/deployments', {
      repository: 'example/shop',
      sha: '9b1f5a3e6d0c4b7e',
      environmentName: 'production',
    })
    const { body: service } = await alice.post('/v1/status-pages/services', { name: 'Shop' })
    const { body: incident } = await alice.post('/v1/status-pages/incidents', {
      ...{ name: 'Checkout is slow', severity: 'MAJOR', services: [{ id: service.id }] },
      incidentUpdates: [{ description: 'Looking', status: 'INVESTIGATING' }],
    })
    await alice.post('/v1/snippets', { name: 'sign-in', script: '1' })
    await alice.post('/v1/service-api-keys', { name: 'Only for admins', role: 'READ_ONLY' })
    const { recent } = await home()
    expect(JSON.stringify(recent)).not.toContain('Only for admins')
    const ats = recent.map(({ at }) => at)
    expect(ats).toEqual(ats.toSorted().reverse())
    expect(recent.map(({ kind, text }) => ({ kind, text }))).toEqual(
      expect.arrayContaining([
        { kind: 'deployment', text: 'example/shop 9b1f5a3e6d0c was deployed to production' },
        { kind: 'incident', text: 'Incident "Checkout is slow": being investigated' },
        { kind: 'alert', text: 'alone is failing: Status 500' },
        { kind: 'alert', text: 'alone has recovered' },
        { kind: 'change', text: 'Owner created the snippet sign-in' },
      ]),
    )
    expect(recent.find(({ kind }) => kind === 'incident')).toMatchObject({
      incidentId: incident.id,
      state: null,
    })
    expect(recent.find(({ text }) => text === 'alone has recovered')).toMatchObject({ state: 'passing' })
    expect((await sim.api.bob.get('/v1/overview')).body.recent).toEqual([])
  })
})
