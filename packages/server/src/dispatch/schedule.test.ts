// The rules of the schedule on a simulated clock, over the real routes and a real store.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refused, type Simulation, startSimulation } from '../testing/simulation.ts'

const second = 1_000
const minute = 60 * second

let sim: Simulation

beforeAll(async () => {
  sim = await startSimulation()
})
afterAll(() => sim.close())

/** At a full hour, so that the slots of tests don't overlap. */
function nextHour(): number {
  sim.goTo(Math.ceil((sim.now() + 1) / (60 * minute)) * 60 * minute)
  return sim.now()
}

const iso = (instant: number) => new Date(instant).toISOString()

describe('a slot', () => {
  it('is claimed when it is due, and not before', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + minute - 1)
    expect(await agent.claim()).toEqual([])
    sim.goTo(start + minute)
    const [job] = await agent.claim()
    expect(job).toMatchObject({
      checkId: check.id,
      scheduledAt: start + minute,
      attempt: 1,
      location: 'eu-west-1',
    })
    expect(await agent.claim()).toEqual([])
    await agent.report(job as never)
    expect(await sim.lanes(check.id)).toMatchObject([{ slot_at: iso(start + 2 * minute), run_id: null }])
    expect(await sim.coverage(check.id)).toEqual({ executed: 1, skipped: 0, missed: 0, reasons: {} })
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it.each([10, 20, 30])('comes every %s seconds with frequency 0', async (seconds) => {
    nextHour()
    const check = await sim.createCheck({ frequency: 0, frequencyOffset: seconds })
    const agent = await sim.operator(['eu-west-1'])
    const starts: number[] = []
    for (let passed = 0; passed < 120; passed += 5) {
      sim.pass(5 * second)
      for (const job of await agent.claim()) {
        starts.push(job.scheduledAt)
        await agent.report(job)
      }
    }
    expect(starts.length).toBe(120 / seconds)
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
    expect(new Set(gaps)).toEqual(new Set([seconds * second]))
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('that comes while a run is in progress is skipped, and counted', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + minute)
    const [job] = await agent.claim()
    for (let renewed = 0; renewed < 15; renewed++) {
      sim.pass(10 * second)
      expect(await agent.renew([job as never])).toEqual([])
      expect(await agent.claim()).toEqual([])
      await sim.reap()
    }
    expect(await agent.report(job as never)).toEqual([true])
    expect(await sim.coverage(check.id)).toEqual({
      executed: 1,
      skipped: 2,
      missed: 0,
      reasons: { in_progress: 2 },
    })
    expect((await sim.lanes(check.id))[0]?.slot_at).toBe(iso(start + 4 * minute))
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('that no agent claims is missed when the next one is due, which runs instead', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + 4 * minute + 30 * second)
    const [job] = await agent.claim()
    expect(job?.scheduledAt).toBe(start + 4 * minute)
    await agent.report(job as never)
    expect(await sim.coverage(check.id)).toEqual({
      executed: 1,
      skipped: 0,
      missed: 3,
      reasons: { agent: 3 },
    })
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('waits for an agent that offers its type', async () => {
    const start = nextHour()
    const request = { hostname: '127.0.0.1', port: 9 }
    const check = await sim.createCheck({ checkType: 'TCP', request })
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + minute)
    expect(await agent.claim({ checkTypes: ['API', 'URL', 'DNS', 'ICMP'] })).toEqual([])
    // Agents of a later release may offer types that this server doesn't know.
    expect(await agent.claim({ checkTypes: ['TCP', 'OF_A_LATER_RELEASE'] })).toMatchObject([
      { checkId: check.id },
    ])
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('is missed even if no agent ever claims', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    sim.goTo(start + 3 * minute + second)
    await sim.reap()
    expect(await sim.coverage(check.id)).toEqual({
      executed: 0,
      skipped: 0,
      missed: 2,
      reasons: { agent: 2 },
    })
    expect((await sim.lanes(check.id))[0]?.slot_at).toBe(iso(start + 3 * minute))
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('in an outage of all servers is missed for that reason', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + 10 * minute + second)
    await sim.api.store.pool.query('insert into outages (began_at, ended_at) values ($1, $2)', [
      iso(start + 2 * minute),
      iso(start + 8 * minute),
    ])
    const [job] = await agent.claim()
    await agent.report(job as never)
    expect(await sim.coverage(check.id)).toEqual({
      executed: 1,
      skipped: 0,
      missed: 9,
      reasons: { agent: 3, server: 6 },
    })
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('in an outage that no server has recorded yet is missed for that reason too', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    const { pool } = sim.api.store
    const serverId = crypto.randomUUID()
    // The servers lost their store. When it is back, agents claim before a server records the outage.
    await pool.query('insert into servers (id, started_at, last_seen_at) values ($1, $2, $3)', [
      serverId,
      iso(start),
      iso(start + 2 * minute),
    ])
    sim.goTo(start + 8 * minute + second)
    const [job] = await agent.claim()
    await agent.report(job as never)
    expect(await sim.coverage(check.id)).toMatchObject({ missed: 7, reasons: { agent: 1, server: 6 } })
    await pool.query('delete from servers where id = $1', [serverId])
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('whose agent could not report in an outage is missed because of the outage', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + minute)
    await agent.claim()
    await sim.api.store.pool.query('insert into outages (began_at, ended_at) values ($1, $2)', [
      iso(start + minute + 2 * second),
      iso(start + 2 * minute),
    ])
    // As a server does after an outage: agents get time to report.
    await sim.api.store.pool.query('update schedule set due_at = $2 where check_id = $1', [
      check.id,
      iso(start + 2 * minute + 30 * second),
    ])
    sim.goTo(start + 20 * minute)
    await sim.reap()
    const { rows } = await sim.api.store.pool.query('select reason from missed_runs where check_id = $1', [
      check.id,
    ])
    expect(rows).toEqual([{ reason: 'server' }])
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('whose run is in progress when its check is deactivated counts as executed if it is reported', async () => {
    const start = nextHour()
    const agent = await sim.operator(['eu-west-1'])
    const [silent, reported] = [await sim.createCheck(), await sim.createCheck()]
    sim.goTo(start + minute)
    const jobs = await agent.claim()
    expect(jobs).toHaveLength(2)
    sim.pass(second)
    for (const { id } of [silent, reported]) {
      expect((await sim.api.alice.put(`/v1/checks/url/${id}`, { activated: false })).status).toBe(200)
    }
    await agent.report(jobs.find(({ checkId }) => checkId === reported.id) as never)
    const nothing = { skipped: 0, missed: 0, reasons: {} }
    expect(await sim.coverage(silent.id)).toEqual({ executed: 0, ...nothing })
    expect(await sim.coverage(reported.id)).toEqual({ executed: 1, ...nothing })
  })

  it.each([
    ['and its lease has expired', 45 * second],
    ['and its agent has not renewed the lease', 12 * second],
  ])(
    'that was lost before its check was deactivated, %s, is missed until it is reported',
    async (_why, ms) => {
      const start = nextHour()
      const check = await sim.createCheck()
      const agent = await sim.operator(['eu-west-1'])
      sim.goTo(start + minute)
      const jobs = await agent.claim()
      sim.pass(ms)
      await sim.api.alice.put(`/v1/checks/url/${check.id}`, { activated: false })
      expect(await sim.coverage(check.id)).toMatchObject({ executed: 0, missed: 1, reasons: { agent: 1 } })
      await agent.report(...jobs)
      expect(await sim.coverage(check.id)).toMatchObject({ executed: 1, missed: 0 })
    },
  )

  it('is skipped while a maintenance window pauses the check; others run', async () => {
    const start = nextHour()
    const paused = await sim.createCheck({ tags: ['shop'] })
    const other = await sim.createCheck({ tags: ['blog'] })
    const agent = await sim.operator(['eu-west-1'])
    const window = await sim.api.alice.post('/v1/maintenance-windows', {
      name: 'Upgrade',
      tags: ['shop'],
      startsAt: iso(start),
      endsAt: iso(start + 2 * minute + 30 * second),
      repeatUnit: 'DAY',
    })
    expect(window.status).toBe(201)
    const ran: string[] = []
    for (let turn = 0; turn < 3; turn++) {
      sim.pass(minute)
      for (const job of await agent.claim()) {
        ran.push(job.checkId)
        await agent.report(job)
      }
    }
    expect(ran.toSorted()).toEqual([paused.id, other.id, other.id, other.id].toSorted())
    expect(await sim.coverage(paused.id)).toEqual({
      executed: 1,
      skipped: 2,
      missed: 0,
      reasons: { maintenance: 2 },
    })
    await sim.api.alice.delete(`/v1/maintenance-windows/${window.body.id}`)
    for (const { id } of [paused, other]) await sim.api.alice.delete(`/v1/checks/${id}`)
  })
})

describe('round robin', () => {
  it('visits one location per slot in turn, and only its agents get the run', async () => {
    nextHour()
    const check = await sim.createCheck({ locations: ['eu-west-1', 'us-east-1', 'ap-south-1'] })
    const agents = new Map<string, Awaited<ReturnType<Simulation['operator']>>>()
    for (const region of ['eu-west-1', 'us-east-1', 'ap-south-1'])
      agents.set(region, await sim.operator([region]))
    const visited: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      sim.pass(minute)
      for (const [region, agent] of agents) {
        for (const job of await agent.claim()) {
          expect(job.location).toBe(region)
          visited.push(region)
          await agent.report(job)
        }
      }
    }
    expect(visited.length).toBe(6)
    expect(visited.slice(0, 3).toSorted()).toEqual(['ap-south-1', 'eu-west-1', 'us-east-1'])
    expect(visited.slice(3)).toEqual(visited.slice(0, 3))
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('skips a location without agents, where the slot is missed', async () => {
    nextHour()
    const check = await sim.createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    const agent = await sim.operator(['eu-west-1'])
    let ran = 0
    for (let turn = 0; turn < 60; turn++) {
      sim.pass(10 * second)
      await sim.reap()
      for (const job of await agent.claim()) {
        ran += 1
        await agent.report(job)
      }
    }
    expect(ran).toBe(5)
    const { rows } = await sim.api.store.pool.query(
      'select location, sum(missed)::int as missed from coverage where check_id = $1 group by 1',
      [check.id],
    )
    expect(rows.filter(({ missed }) => missed > 0).map(({ location }) => location)).toEqual(['us-east-1'])
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })
})

describe('runParallel', () => {
  it('runs in all locations at each slot, each with at most one run in progress', async () => {
    const start = nextHour()
    const check = await sim.createCheck({ locations: ['eu-west-1', 'us-east-1'], runParallel: true })
    const agent = await sim.operator(['eu-west-1', 'us-east-1'])
    sim.goTo(start + minute)
    const jobs = await agent.claim()
    expect(jobs.map(({ location, scheduledAt }) => [location, scheduledAt]).toSorted()).toEqual([
      ['eu-west-1', start + minute],
      ['us-east-1', start + minute],
    ])
    const [slow, fast] = jobs
    await agent.report(fast as never)
    sim.pass(20 * second)
    await agent.renew([slow as never])
    sim.pass(25 * second)
    await agent.renew([slow as never])
    sim.pass(15 * second)
    expect((await agent.claim()).map(({ location }) => location)).toEqual([fast?.location])
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it.each([
    ['passes and fails when the last location is done', false, [], [{ has_failures: true }]],
    ['fails as soon as that is certain', true, [{ has_failures: true }], [{ has_failures: true }]],
  ])('has one status: a run that %s', async (_, isFirstFailing, afterFirst, afterSecond) => {
    nextHour()
    const check = await sim.createCheck({ locations: ['eu-west-1', 'us-east-1'], runParallel: true })
    const agent = await sim.operator(['eu-west-1', 'us-east-1'])
    sim.pass(minute)
    const [first, second] = (await agent.claim()) as unknown as [{ token: string }, { token: string }]
    const status = async () =>
      (
        await sim.api.store.pool.query('select has_failures from check_statuses where check_id = $1', [
          check.id,
        ])
      ).rows
    await agent.report({ ...first, ...(isFirstFailing && refused) })
    expect(await status()).toEqual(afterFirst)
    await agent.report({ ...second, ...(!isFirstFailing && refused) })
    expect(await status()).toEqual(afterSecond)
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })
})

describe('a plan', () => {
  it('exists only while the check is activated', async () => {
    nextHour()
    const check = await sim.createCheck()
    expect(await sim.lanes(check.id)).toHaveLength(1)
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { activated: false })
    expect(await sim.lanes(check.id)).toEqual([])
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { activated: true })
    expect(await sim.lanes(check.id)).toHaveLength(1)
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
    expect(await sim.lanes(check.id)).toEqual([])
  })

  it('uses the locations and the activation of the group instead of those of the check', async () => {
    nextHour()
    const group = await sim.api.alice.post('/v2/check-groups', { name: 'A group', locations: ['us-west-1'] })
    expect(group.status).toBe(201)
    const check = await sim.createCheck({ groupId: group.body.id })
    expect((await sim.lanes(check.id)).map(({ location }) => location)).toEqual(['us-west-1'])
    await sim.api.alice.put(`/v2/check-groups/${group.body.id}`, {
      locations: ['us-east-2', 'eu-west-3'],
      runParallel: true,
    })
    expect((await sim.lanes(check.id)).map(({ location }) => location)).toEqual(['eu-west-3', 'us-east-2'])
    await sim.api.alice.put(`/v2/check-groups/${group.body.id}`, { activated: false })
    expect(await sim.lanes(check.id)).toEqual([])
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('that changes during a run keeps the run, and counts passed slots by the old plan', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + 3 * minute + second)
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { frequency: 5, frequencyOffset: 50 })
    expect(await sim.coverage(check.id)).toMatchObject({ missed: 3 })
    sim.goTo(start + 5 * minute)
    const [job] = await agent.claim()
    expect(job?.scheduledAt).toBe(start + 5 * minute)
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { frequency: 1, frequencyOffset: 10 })
    expect(await agent.report(job as never)).toEqual([true])
    expect(await sim.coverage(check.id)).toMatchObject({ executed: 1, missed: 3, skipped: 0 })
    expect((await sim.lanes(check.id))[0]?.slot_at).toBe(iso(start + 6 * minute))
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('that changes or ends late in a run counts passed slots once, by the old plan', async () => {
    const start = nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.goTo(start + minute)
    const [job] = await agent.claim()
    sim.goTo(start + 3 * minute + second)
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { frequency: 0, frequencyOffset: 10 })
    expect(await sim.coverage(check.id)).toMatchObject({ executed: 0, skipped: 2 })
    sim.pass(10 * second)
    await agent.report(job as never)
    expect(await sim.coverage(check.id)).toEqual({
      executed: 1,
      skipped: 3,
      missed: 0,
      reasons: { in_progress: 3 },
    })
    sim.pass(10 * second)
    const later = await agent.claim()
    expect(later).toHaveLength(1)
    sim.pass(25 * second)
    expect(await agent.renew(later)).toEqual([])
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { activated: false })
    const { executed, skipped, missed } = await sim.coverage(check.id)
    expect([executed, missed]).toEqual([1, 0])
    expect(skipped).toBeGreaterThanOrEqual(5)
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })

  it('that ends during a run still accepts its result', async () => {
    nextHour()
    const check = await sim.createCheck()
    const agent = await sim.operator(['eu-west-1'])
    sim.pass(minute)
    const [job] = await agent.claim()
    await sim.api.alice.put(`/v1/checks/url/${check.id}`, { activated: false })
    expect(await sim.coverage(check.id)).toMatchObject({ executed: 0, missed: 0 })
    expect(await agent.renew([job as never])).toEqual([job?.runId])
    expect(await agent.report(job as never)).toEqual([true])
    expect(await sim.coverage(check.id)).toMatchObject({ executed: 1, missed: 0 })
    await sim.api.alice.delete(`/v1/checks/${check.id}`)
  })
})
