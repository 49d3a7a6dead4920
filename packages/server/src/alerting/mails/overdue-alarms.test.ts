import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlarmWorld, day, hour, minute, startAlarmWorld } from './location-alarms.fixture.ts'

let world: AlarmWorld
beforeAll(async () => {
  world = await startAlarmWorld()
})
beforeEach(() => world.newDay())
afterAll(() => world.close())

describe('runs that are overdue', () => {
  it('are one alarm where a connected agent does not run them', async () => {
    const agent = await world.operator(['eu-west-1'])
    for (const name of ['A', 'B', 'C']) await world.createCheck({ name })
    expect(await world.live(20 * minute, { agents: [agent], step: 2 * minute })).toBe(0)
    // The agent is connected, but has no capacity.
    expect(await world.live(15 * minute, { idle: [agent] })).toBe(0)
    expect(await world.live(5 * minute, { idle: [agent] })).toBe(1)
    expect(await world.alarms()).toMatchObject([
      { location: 'eu-west-1', kind: 'overdue', checkCount: 3, checks: ['A', 'B', 'C'], resolvedAt: null },
    ])
    expect(await world.live(hour, { idle: [agent], step: 10 * minute })).toBe(0)
    expect(await world.live(5 * minute, { agents: [agent] })).toBe(1)
    expect(await world.alarms()).toMatchObject([{ kind: 'overdue', resolvedAt: expect.any(String) }])
    const sent = await world.mails()
    expect(sent.map(({ facts }) => [facts.kind, facts.end])).toEqual([
      ['overdue', null],
      ['overdue', 'served'],
    ])
  })

  it('are found where the agent cannot run that type, also for checks that rotate through locations', async () => {
    const [able, unable] = [await world.operator(['eu-west-1']), await world.operator(['us-east-1'])]
    await world.createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    expect(await world.live(15 * minute, { agents: [able], idle: [unable] })).toBe(0)
    expect(await unable.claim({ checkTypes: ['TCP'] })).toEqual([])
    expect(await world.live(10 * minute, { agents: [able], idle: [unable] })).toBe(1)
    expect(await world.alarms()).toMatchObject([{ location: 'us-east-1', kind: 'overdue', checkCount: 1 }])
  })

  it('list the types that no agent there runs, as reported by the agents', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({ name: 'Shop', checkType: 'BROWSER', runtimeId: null })
    await world.createCheck({ name: 'Ping' })
    for (let turn = 0; turn < 30; turn++) {
      world.pass(minute)
      await world.reap()
      await agent.renew([], 'running', { checkTypes: ['URL', 'TCP'] })
      await agent.report(...(await agent.claim({ checkTypes: ['URL', 'TCP'] })))
      await world.raise()
    }
    const about = { kind: 'overdue', checkCount: 1, checks: ['Shop'], unservedTypes: ['BROWSER'] }
    expect(await world.alarms()).toMatchObject([{ location: 'eu-west-1', ...about }])
    expect(await world.mails()).toMatchObject([{ facts: about }])
  })

  it('raise no alarm while their checks run, wait or are paused', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({})
    const window = { name: 'Release', startsAt: world.at(5), endsAt: world.at(40) }
    const made = await world.api.alice.post('/v1/maintenance-windows', { ...window, pauseAllChecks: true })
    expect(made.status).toBe(201)
    expect(await world.live(5 * minute, { idle: [agent] })).toBe(0)
    expect(await world.live(hour, { agents: [agent], step: 2 * minute })).toBe(0)
  })

  it('raise no alarm while one run takes very long', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({})
    world.pass(2 * minute)
    const jobs = await agent.claim()
    expect(jobs).toHaveLength(1)
    for (let turn = 0; turn < 60; turn++) {
      world.pass(20_000)
      await agent.renew(jobs)
      await world.reap()
      expect(await world.raise()).toBe(0)
    }
  })

  it('raise no second alarm besides the absence of the agent, nor when it is back', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({ frequency: 1440, frequencyOffset: 12, locations: ['eu-west-1'] })
    await world.createCheck({})
    await world.live(20 * minute, { agents: [agent], step: 5 * minute })
    world.pass(3 * day)
    await world.reap()
    expect(await world.raise()).toBe(1)
    expect(await world.live(5 * minute, { agents: [agent] })).toBe(1)
    expect(await world.live(20 * minute, { agents: [agent], step: 2 * minute })).toBe(0)
    expect((await world.alarms()).map(({ kind }: { kind: string }) => kind)).toEqual(['no_agent'])
  })

  it('raise no alarm after a short absence, whichever location is next when the agent comes back', async () => {
    const [here, there] = [await world.operator(['eu-west-1']), await world.operator(['us-east-1'])]
    await world.createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    expect(await world.live(10 * minute, { agents: [here, there] })).toBe(0)
    expect(await world.live(9 * minute, { agents: [here] })).toBe(0)
    expect(await world.live(10 * minute, { agents: [here, there] })).toBe(0)
  })
})
