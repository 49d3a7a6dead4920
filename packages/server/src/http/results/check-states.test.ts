import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decisionContext } from '../../alerting/decision/decision-context.ts'
import { decideOverdueParallelRuns } from '../../ingest/parallel-deadline.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { refused, type Simulation, startSimulation } from '../../testing/simulation.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

let sim: Simulation
let agent: Awaited<ReturnType<Simulation['operator']>>
beforeAll(async () => {
  sim = await startSimulation()
  agent = await sim.operator(['eu-west-1', 'us-east-1'])
})
afterAll(() => sim.close())

const stateOf = async (id: string) => (await sim.api.alice.get(`/v1/check-statuses/${id}`)).body
const iso = () => new Date(sim.now()).toISOString()

/** Minute by minute, with a server that reaps and the agent at work. */
async function live(ms: number, outcome: object = {}): Promise<void> {
  for (const end = sim.now() + ms; sim.now() < end; ) {
    sim.pass(Math.min(minute, end - sim.now()))
    await sim.reap()
    await agent.renew([])
    await agent.report(...(await agent.claim()).map((job) => ({ ...job, ...outcome })))
  }
}

async function decideParallelRuns(): Promise<void> {
  const context = decisionContext({ clock: { now: sim.now }, config: sim.api.config })
  await inTransaction(sim.api.store.pool, (client) => decideOverdueParallelRuns(client, context, 100))
}

/** The agent is gone; the server keeps running. */
async function wait(ms: number): Promise<void> {
  for (const end = sim.now() + ms; sim.now() < end; ) {
    sim.pass(Math.min(minute, end - sim.now()))
    await sim.reap()
  }
}

describe('the state of a stored check', () => {
  it('becomes unknown when its agent is gone, names the location, and recovers with the next run', async () => {
    const { id } = await sim.createCheck()
    await live(10 * minute)
    const before = await stateOf(id)
    expect(before).toMatchObject({ state: 'passing', lastState: 'passing', staleLocations: [] })
    await wait(3 * minute)
    expect((await stateOf(id)).state).toBe('passing')
    await wait(2 * minute)
    const unknown = await stateOf(id)
    expect(unknown).toMatchObject({ state: 'unknown', lastState: 'passing', hasFailures: false })
    expect(unknown.reason).toMatch(
      /^No agent has run this check since \d\d:\d\d UTC: the location Ireland has no connected agent\.$/,
    )
    expect(Date.parse(unknown.since)).toBeGreaterThan(Date.parse(before.lastRunAt))
    // Checks and badges have it from the same source.
    const { body: check } = await sim.api.alice.get(`/v1/checks/${id}`)
    const { state, since, reason, lastState, lastRunAt, nextRunAt } = unknown
    expect(check).toMatchObject({ state, since, reason, lastState, lastRunAt, nextRunAt })
    const { body: listed } = await sim.api.alice.get('/v1/checks')
    expect(listed).toContainEqual(expect.objectContaining({ id, state, since, reason }))
    expect((await sim.api.nobody.get(`/v1/badges/checks/${id}`)).text).toContain('A check: unknown')
    await live(minute)
    const after = await stateOf(id)
    expect(after).toMatchObject({ state: 'passing', staleLocations: [] })
    expect(after.since > unknown.since).toBe(true)
    await live(5 * minute)
    expect((await stateOf(id)).since).toBe(after.since)
  })

  it('shows since when it fails and why, also after runs that fail for another reason', async () => {
    const { id } = await sim.createCheck()
    await live(5 * minute)
    await live(minute, refused)
    const failing = await stateOf(id)
    expect(failing).toMatchObject({ state: 'failing', reason: 'Connection refused.', hasFailures: true })
    await live(3 * minute, { ...refused, failure: { ...refused.failure, message: 'no route to host' } })
    expect(await stateOf(id)).toMatchObject({
      state: 'failing',
      since: failing.since,
      reason: 'No route to host.',
    })
    const { body } = await sim.api.alice.put(`/v1/checks/url/${id}`, { activated: false })
    expect(body).toMatchObject({ state: 'inactive', since: iso(), lastState: 'failing', nextRunAt: null })
  })

  it("doesn't become unknown during a long run, but when its agent is lost", async () => {
    const { id } = await sim.createCheck()
    await live(5 * minute)
    sim.pass(minute)
    const jobs = await agent.claim()
    for (let elapsed = 0; elapsed < 20 * minute; elapsed += 20 * second) {
      sim.pass(20 * second)
      await agent.renew(jobs)
      await sim.reap()
    }
    expect((await stateOf(id)).state).toBe('passing')
    await agent.report(...jobs)
    expect((await stateOf(id)).state).toBe('passing')
    await live(2 * minute)
    sim.pass(minute)
    expect(await agent.claim()).not.toEqual([])
    await wait(5 * minute)
    expect((await stateOf(id)).state).toBe('unknown')
    await live(3 * minute)
  })

  it('is unknown when runs end with errors of our own only', async () => {
    const { id } = await sim.createCheck({ name: 'Erring' })
    await live(3 * minute)
    await live(2 * minute, { outcome: 'error', responseTimeMs: null })
    expect(await stateOf(id)).toMatchObject({ state: 'passing', hasErrors: true })
    await live(4 * minute, { outcome: 'error', responseTimeMs: null })
    const erring = await stateOf(id)
    expect(erring).toMatchObject({ state: 'unknown', lastState: 'passing', hasErrors: true })
    expect(erring.reason).toContain('ended with an internal error')
    await live(minute)
    expect((await stateOf(id)).state).toBe('passing')
  })

  it('is in maintenance while its runs are paused, not while its alerts are silenced', async () => {
    const { id } = await sim.createCheck({ tags: ['shop'] })
    await live(3 * minute)
    const [startsAt, endsAt] = [iso(), new Date(sim.now() + hour).toISOString()]
    const window = { name: 'Upgrade', startsAt, endsAt }
    const silencing = await sim.api.alice.post('/v1/maintenance-windows', {
      ...{ ...window, tags: [], silenceAllAlerts: true },
    })
    expect(silencing.status, silencing.text).toBe(201)
    expect((await stateOf(id)).state).toBe('passing')
    const pausing = await sim.api.alice.post('/v1/maintenance-windows', { ...window, tags: ['shop'] })
    expect(pausing.status, pausing.text).toBe(201)
    expect(await stateOf(id)).toMatchObject({ state: 'maintenance', since: startsAt, lastState: 'passing' })
    await live(hour - second)
    expect((await stateOf(id)).state).toBe('maintenance')
    sim.pass(second)
    expect(await stateOf(id)).toMatchObject({ state: 'passing', since: endsAt })
  })

  it('is inactive with its group', async () => {
    const { body: group } = await sim.api.alice.post('/v1/check-groups', { name: 'Shop' })
    const { id } = await sim.createCheck({ groupId: group.id })
    // The database dates it by its own clock.
    await sim.api.store.pool.query('update checks set created_at = $1 where id = $2', [iso(), id])
    await live(2 * minute)
    await sim.api.alice.put(`/v1/check-groups/${group.id}`, { activated: false })
    const since = iso()
    sim.pass(minute)
    expect(await stateOf(id)).toMatchObject({
      ...{ state: 'inactive', since, reason: 'Its group is deactivated.' },
    })
    await sim.api.alice.put(`/v1/check-groups/${group.id}`, { activated: true })
    expect(await stateOf(id)).toMatchObject({ state: 'passing', since: iso() })
  })

  it('names a location that stopped, while others still run the check', async () => {
    for (const runParallel of [true, false]) {
      const locations = ['eu-west-1', 'us-east-1']
      const { id } = await sim.createCheck({ locations, runParallel })
      await live(5 * minute)
      for (let n = 0; n < 10; n++) {
        sim.pass(minute)
        await sim.reap()
        await agent.report(...(await agent.claim({ locations: ['eu-west-1'] })))
        await decideParallelRuns()
      }
      expect(await stateOf(id), `parallel: ${runParallel}`).toMatchObject({
        ...{ state: 'passing', staleLocations: ['us-east-1'] },
      })
      await live(3 * minute)
      expect(await stateOf(id)).toMatchObject({ state: 'passing', staleLocations: [] })
    }
  })

  it('follows the setting of the check, else of the account', async () => {
    const { id } = await sim.createCheck({ unknownAfterMissedRuns: 10 })
    const { id: other } = await sim.createCheck()
    await sim.api.alice.patch('/v1/accounts/me', { settings: { unknownAfterMissedRuns: 1 } })
    await live(3 * minute)
    await wait(3 * minute)
    expect((await stateOf(id)).state).toBe('passing')
    expect((await stateOf(other)).state).toBe('unknown')
    await sim.api.alice.patch('/v1/accounts/me', { settings: { unknownAfterMissedRuns: 3 } })
    await live(minute)
    for (const value of [0, 101, 1.5, 'three'])
      expect(
        (await sim.api.alice.put(`/v1/checks/url/${id}`, { unknownAfterMissedRuns: value })).status,
      ).toBe(400)
    for (const value of [0, 101])
      expect(
        (await sim.api.alice.patch('/v1/accounts/me', { settings: { unknownAfterMissedRuns: value } }))
          .status,
      ).toBe(400)
  })

  it('is unknown for a heartbeat monitor that was never pinged', async () => {
    const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' }
    const { body } = await sim.api.alice.post('/v1/checks/heartbeat', { name: 'Job', heartbeat })
    expect(await stateOf(body.id)).toMatchObject({
      ...{ state: 'unknown', reason: "It hasn't received a ping yet.", nextRunAt: null },
    })
    expect((await sim.api.nobody.post(`/ping/${body.heartbeat.pingToken}`)).status).toBe(200)
    expect(await stateOf(body.id)).toMatchObject({ state: 'passing', since: iso(), lastRunAt: iso() })
    sim.pass(2 * hour + minute)
    // No loop has evaluated it, but it isn't passing.
    expect((await stateOf(body.id)).state).toBe('unknown')
  })

  it('is visible in its account only', async () => {
    const { id } = await sim.createCheck()
    expect((await sim.api.bob.get(`/v1/check-statuses/${id}`)).status).toBe(404)
    expect((await sim.api.bob.get('/v1/check-statuses')).body).toEqual([])
  })

  it('is in the metrics of the account: while it is unknown, neither passing nor degraded nor failing', async () => {
    const { id } = await sim.createCheck()
    await live(2 * minute)
    await wait(10 * minute)
    const { body } = await sim.api.alice.post('/v1/accounts/me/prometheus-tokens', {})
    const path = `/accounts/${sim.api.alice.accountId}/v2/prometheus/metrics`
    const { text } = await sim.api.nobody.send('GET', path, undefined, {
      authorization: `Bearer ${body.rawKey ?? body.key}`,
    })
    const lines = text.split('\n').filter((line) => line.includes(id))
    const ones = lines.filter((line) => /^vedette_check_stat(e|us)\{/.test(line) && line.endsWith(' 1'))
    expect(ones).toHaveLength(1)
    expect(ones[0]).toContain('vedette_check_state{')
    expect(ones[0]).toContain('state="unknown"')
  })
})
