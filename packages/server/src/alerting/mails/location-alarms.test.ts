import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LocationAlarmFacts } from '../../storage/location-alarms.ts'
import { beServer } from '../../storage/servers.ts'
import { type SimulatedAgent, type Simulation, startSimulation } from '../../testing/simulation.ts'
import { raiseLocationAlarms } from './location-alarms.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let sim: Simulation
let start: number
beforeAll(async () => {
  sim = await startSimulation()
})
afterAll(() => sim.close())

/** Each test has a day of its own, and nothing of the others. */
beforeEach(async () => {
  const { pool } = sim.api.store
  await pool.query(
    `truncate checks, private_locations, agents, location_alarms, mails, servers, outages, maintenance_windows, coverage,
       results cascade`,
  )
  await pool.query("delete from memberships where role <> 'OWNER'")
  start = Math.ceil((sim.now() + 1) / day) * day + 8 * hour
  sim.goTo(start)
})

/** Minutes after the test began. */
const at = (minutes: number) => new Date(start + minutes * minute).toISOString()

const raise = () => raiseLocationAlarms(sim.api.store.pool, sim.now())

interface Mailed {
  recipient: string
  facts: LocationAlarmFacts
}

async function mails(): Promise<Mailed[]> {
  const { rows } = await sim.api.store.pool.query<Mailed>(
    `select recipient, facts from mails where kind = 'location_alarm' and status = 'IN_PROGRESS' and due_at = created_at
     order by created_at, recipient`,
  )
  return rows
}

const alarms = async () => (await sim.api.alice.get('/v1/location-alarms')).body

/** The store dates what is new by its own clock. */
async function createCheck(settings: Record<string, unknown>): Promise<{ id: string }> {
  const check = await sim.createCheck(settings)
  await sim.api.store.pool.query('update checks set created_at = $1', [new Date(sim.now())])
  return check
}

async function createOffice(): Promise<{ id: string; rawKey: string }> {
  const { body } = await sim.api.alice.post('/v1/private-locations', { name: 'Office', slugName: 'office' })
  return { id: body.id, rawKey: body.keys[0].rawKey }
}

const inOffice = { locations: [], privateLocations: ['office'] }

interface Life {
  agents?: readonly SimulatedAgent[]
  /** They are there, but take nothing. */
  idle?: readonly SimulatedAgent[]
  step?: number
}

/** Step by step, with turns of the loops that servers make; returns how many alarms began or ended. */
async function live(ms: number, { agents = [], idle = [], step = minute }: Life = {}): Promise<number> {
  let changes = 0
  for (const end = sim.now() + ms; sim.now() < end; ) {
    sim.pass(Math.min(step, end - sim.now()))
    await sim.reap()
    for (const agent of [...agents, ...idle]) await agent.renew([])
    for (const agent of agents) await agent.report(...(await agent.claim()))
    changes += await raise()
  }
  return changes
}

describe('a location without an agent', () => {
  it('is one alarm, however many checks are to run there, mailed once to each owner and admin', async () => {
    const { accountId } = sim.api.alice
    for (const role of ['ADMIN', 'READ_WRITE', 'READ_ONLY'] as const) await sim.api.addMember(accountId, role)
    await createOffice()
    for (let n = 1; n <= 12; n++)
      await createCheck({ ...inOffice, name: `Check ${String(n).padStart(2, '0')}` })
    expect(await live(10 * minute)).toBe(0)
    expect(await live(30 * minute, { step: 2 * minute })).toBe(1)
    const names = Array.from({ length: 10 }, (_, index) => `Check ${String(index + 1).padStart(2, '0')}`)
    expect(await alarms()).toEqual([
      {
        id: expect.any(String),
        location: 'office',
        kind: 'no_agent',
        checkCount: 12,
        checks: names,
        unservedTypes: [],
        openedAt: at(12),
        resolvedAt: null,
      },
    ])
    const [alarm] = await alarms()
    const sent = await mails()
    const { rows } = await sim.api.store.pool.query<{ email: string }>(
      `select email from users u join memberships m on m.user_id = u.id where account_id = $1 and role in ('OWNER', 'ADMIN')
       order by email`,
      [accountId],
    )
    expect(sent.map(({ recipient }) => recipient)).toEqual(rows.map(({ email }) => email))
    expect(sent).toHaveLength(2)
    expect(sent[0]?.facts).toEqual({
      alarmId: alarm.id,
      kind: 'no_agent',
      location: 'office',
      locationName: 'Office',
      isPrivate: true,
      account: 'An account',
      checkCount: 12,
      checks: names,
      unservedTypes: [],
      openedAt: at(12),
      resolvedAt: null,
      end: null,
    })
  })

  it('is over when an agent comes, which is mailed too; the next absence is another alarm', async () => {
    const { rawKey } = await createOffice()
    await createCheck(inOffice)
    await live(15 * minute, { step: 5 * minute })
    const agent = sim.agentOf(rawKey)
    expect(await live(minute, { agents: [agent] })).toBe(1)
    expect(await alarms()).toMatchObject([{ kind: 'no_agent', resolvedAt: at(16) }])
    const [, over] = await mails()
    expect(over?.facts).toMatchObject({ resolvedAt: at(16), end: 'served' })
    expect(await live(30 * minute, { agents: [agent], step: 3 * minute })).toBe(0)
    expect(await live(10 * minute, { step: 5 * minute })).toBe(0)
    expect(await live(minute)).toBe(1)
    expect((await alarms()).map(({ resolvedAt }: { resolvedAt: string | null }) => resolvedAt)).toEqual([
      null,
      at(16),
    ])
    expect(await mails()).toHaveLength(3)
  })

  it('is missed since it was last seen, also by checks that run once a day', async () => {
    const { rawKey } = await createOffice()
    await createCheck({ ...inOffice, frequency: 1440, frequencyOffset: 12 })
    const agent = sim.agentOf(rawKey)
    await agent.renew([])
    expect(await live(10 * minute)).toBe(0)
    expect(await live(minute)).toBe(1)
  })

  it('counts from the first run that was due where no agent ever was', async () => {
    await createOffice()
    const { id } = await createCheck({ ...inOffice, frequency: 1440, frequencyOffset: 12 })
    const [lane] = await sim.lanes(id)
    sim.goTo(Date.parse(lane?.due_at ?? '') + 10 * minute - 1)
    await sim.reap()
    expect(await raise()).toBe(0)
    sim.pass(1)
    expect(await raise()).toBe(1)
  })

  it('is no alarm before there is something to run for as long as that', async () => {
    const { rawKey } = await createOffice()
    const agent = sim.agentOf(rawKey)
    await agent.renew([])
    expect(await live(hour, { step: 5 * minute })).toBe(0)
    await createCheck(inOffice)
    expect(await live(9 * minute)).toBe(0)
    expect(await live(2 * minute)).toBe(1)
  })

  it('is over when no check is to run there any more', async () => {
    await createOffice()
    const { id } = await createCheck(inOffice)
    await live(15 * minute, { step: 5 * minute })
    await sim.api.alice.put(`/v1/checks/url/${id}`, { activated: false })
    expect(await raise()).toBe(1)
    const [, over] = await mails()
    expect(over?.facts.end).toBe('unassigned')
    expect(await live(hour, { step: 5 * minute })).toBe(0)
  })

  it('stays open while a check there is changed, and says how many there are now', async () => {
    await createOffice()
    const { id } = await createCheck(inOffice)
    await live(15 * minute, { step: 5 * minute })
    await sim.api.alice.put(`/v1/checks/url/${id}`, { name: 'Renamed' })
    await createCheck({ ...inOffice, name: 'Another' })
    expect(await raise()).toBe(0)
    expect(await alarms()).toMatchObject([
      { checkCount: 2, checks: ['Another', 'Renamed'], resolvedAt: null },
    ])
    expect(await mails()).toHaveLength(1)
  })

  it('is also a data-center location, and only the one that nobody serves', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    expect(await live(20 * minute, { agents: [agent] })).toBe(1)
    expect(await alarms()).toMatchObject([{ location: 'us-east-1', kind: 'no_agent', checkCount: 1 }])
    const [mail] = await mails()
    expect(mail?.facts).toMatchObject({ locationName: 'N. Virginia', isPrivate: false })
  })

  it('is no alarm of checks that do not run by a schedule', async () => {
    await createOffice()
    const { id } = await createCheck({ ...inOffice, activated: false })
    await sim.api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
    const heartbeat = { period: 1, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' }
    const made = await sim.api.alice.post('/v1/checks/heartbeat', { name: 'Job', heartbeat })
    expect(made.status).toBe(201)
    expect(await live(hour, { step: 5 * minute })).toBe(0)
  })

  it('is an alarm of its account alone', async () => {
    await createOffice()
    await createCheck(inOffice)
    await live(15 * minute, { step: 5 * minute })
    expect((await sim.api.bob.get('/v1/location-alarms')).body).toEqual([])
    expect(await mails()).toHaveLength(1)
  })
})

describe('runs that are overdue', () => {
  it('are one alarm where an agent is that does not run them', async () => {
    const agent = await sim.operator(['eu-west-1'])
    for (const name of ['A', 'B', 'C']) await createCheck({ name })
    expect(await live(20 * minute, { agents: [agent], step: 2 * minute })).toBe(0)
    // It is there and takes nothing: it has no room.
    expect(await live(15 * minute, { idle: [agent] })).toBe(0)
    expect(await live(5 * minute, { idle: [agent] })).toBe(1)
    expect(await alarms()).toMatchObject([
      { location: 'eu-west-1', kind: 'overdue', checkCount: 3, checks: ['A', 'B', 'C'], resolvedAt: null },
    ])
    expect(await live(hour, { idle: [agent], step: 10 * minute })).toBe(0)
    expect(await live(5 * minute, { agents: [agent] })).toBe(1)
    expect(await alarms()).toMatchObject([{ kind: 'overdue', resolvedAt: expect.any(String) }])
    const sent = await mails()
    expect(sent.map(({ facts }) => [facts.kind, facts.end])).toEqual([
      ['overdue', null],
      ['overdue', 'served'],
    ])
  })

  it('are found where the agent can not run that type, and where the check goes round its locations', async () => {
    const [able, unable] = [await sim.operator(['eu-west-1']), await sim.operator(['us-east-1'])]
    await createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    expect(await live(15 * minute, { agents: [able], idle: [unable] })).toBe(0)
    expect(await unable.claim({ checkTypes: ['TCP'] })).toEqual([])
    expect(await live(10 * minute, { agents: [able], idle: [unable] })).toBe(1)
    expect(await alarms()).toMatchObject([{ location: 'us-east-1', kind: 'overdue', checkCount: 1 }])
  })

  it('say which types nobody there runs, as agents tell it themselves', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({ name: 'Shop', checkType: 'BROWSER', runtimeId: null })
    await createCheck({ name: 'Ping' })
    for (let turn = 0; turn < 30; turn++) {
      sim.pass(minute)
      await sim.reap()
      await agent.renew([], 'running', { checkTypes: ['URL', 'TCP'] })
      await agent.report(...(await agent.claim({ checkTypes: ['URL', 'TCP'] })))
      await raise()
    }
    const about = { kind: 'overdue', checkCount: 1, checks: ['Shop'], unservedTypes: ['BROWSER'] }
    expect(await alarms()).toMatchObject([{ location: 'eu-west-1', ...about }])
    expect(await mails()).toMatchObject([{ facts: about }])
  })

  it('are no alarm while their checks run, wait or are paused', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({})
    const window = { name: 'Release', startsAt: at(5), endsAt: at(40) }
    const made = await sim.api.alice.post('/v1/maintenance-windows', { ...window, pauseAllChecks: true })
    expect(made.status).toBe(201)
    expect(await live(5 * minute, { idle: [agent] })).toBe(0)
    expect(await live(hour, { agents: [agent], step: 2 * minute })).toBe(0)
  })

  it('are no alarm while one run takes very long', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({})
    sim.pass(2 * minute)
    const jobs = await agent.claim()
    expect(jobs).toHaveLength(1)
    for (let turn = 0; turn < 60; turn++) {
      sim.pass(20_000)
      await agent.renew(jobs)
      await sim.reap()
      expect(await raise()).toBe(0)
    }
  })

  it('are not told of besides the absence of the agent, nor when it is back', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({ frequency: 1440, frequencyOffset: 12, locations: ['eu-west-1'] })
    await createCheck({})
    await live(20 * minute, { agents: [agent], step: 5 * minute })
    sim.pass(3 * day)
    await sim.reap()
    expect(await raise()).toBe(1)
    expect(await live(5 * minute, { agents: [agent] })).toBe(1)
    expect(await live(20 * minute, { agents: [agent], step: 2 * minute })).toBe(0)
    expect((await alarms()).map(({ kind }: { kind: string }) => kind)).toEqual(['no_agent'])
  })

  it('are no alarm of a short absence, wherever the turn is when the agent comes back', async () => {
    const [here, there] = [await sim.operator(['eu-west-1']), await sim.operator(['us-east-1'])]
    await createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    expect(await live(10 * minute, { agents: [here, there] })).toBe(0)
    expect(await live(9 * minute, { agents: [here] })).toBe(0)
    expect(await live(10 * minute, { agents: [here, there] })).toBe(0)
  })
})

describe('several servers, and none', () => {
  const server = randomUUID()
  const touch = () => beServer(sim.api.store.pool, server, sim.now())

  it('opens an alarm once, and resolves it once, when turns come at the same time', async () => {
    const { rawKey } = await createOffice()
    await createCheck(inOffice)
    sim.pass(30 * minute)
    await sim.reap()
    const changes = await Promise.all([raise(), raise(), raise(), raise()])
    expect(changes.reduce((total, change) => total + change)).toBe(1)
    expect(await alarms()).toHaveLength(1)
    expect(await mails()).toHaveLength(1)
    await sim.agentOf(rawKey).renew([])
    const ends = await Promise.all([raise(), raise(), raise(), raise()])
    expect(ends.reduce((total, change) => total + change)).toBe(1)
    expect(await mails()).toHaveLength(2)
  })

  it('raises nothing after an outage for what is being caught up', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({})
    await createCheck({ name: 'Hourly', frequency: 60, frequencyOffset: 10 })
    await touch()
    await live(20 * minute, { agents: [agent], step: 5 * minute })
    await touch()
    sim.pass(3 * hour)
    expect(await touch()).not.toBeNull()
    await sim.reap()
    expect(await raise()).toBe(0)
    // The agent needs a while to find the server again.
    for (let turn = 0; turn < 4; turn++) {
      await touch()
      expect(await live(minute)).toBe(0)
    }
    await touch()
    expect(await live(10 * minute, { agents: [agent] })).toBe(0)
    expect(await live(3 * hour, { agents: [agent], step: 10 * minute })).toBe(0)
    expect(await alarms()).toEqual([])
  })

  it('raises what still is the case some minutes after an outage', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({})
    await touch()
    await live(20 * minute, { agents: [agent], step: 5 * minute })
    sim.pass(3 * hour)
    await touch()
    await sim.reap()
    expect(await live(4 * minute)).toBe(0)
    expect(await live(2 * minute)).toBe(1)
  })

  it('keeps an alarm open over an outage', async () => {
    const agent = await sim.operator(['eu-west-1'])
    await createCheck({})
    await touch()
    await live(20 * minute, { agents: [agent], step: 5 * minute })
    await live(30 * minute, { idle: [agent], step: 5 * minute })
    expect(await alarms()).toMatchObject([{ kind: 'overdue', resolvedAt: null }])
    await touch()
    sim.pass(2 * hour)
    await touch()
    expect(await live(30 * minute, { idle: [agent], step: 5 * minute })).toBe(0)
    expect(await alarms()).toMatchObject([{ kind: 'overdue', resolvedAt: null }])
  })

  it('waits after a start, when the only server was away too shortly for an outage', async () => {
    await createOffice()
    await createCheck(inOffice)
    sim.pass(30 * minute)
    await touch()
    await sim.reap()
    expect(await raise()).toBe(0)
    for (let turn = 0; turn < 4 * 12; turn++) {
      sim.pass(5_000)
      await touch()
    }
    expect(await raise()).toBe(0)
    for (let turn = 0; turn < 12; turn++) {
      sim.pass(5_000)
      await touch()
    }
    expect(await raise()).toBe(1)
  })
})
