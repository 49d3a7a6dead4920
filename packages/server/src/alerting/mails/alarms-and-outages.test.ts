import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { touchServer } from '../../storage/runs/servers.ts'
import { type AlarmWorld, hour, inOffice, minute, startAlarmWorld } from './location-alarms.fixture.ts'

let world: AlarmWorld
beforeAll(async () => {
  world = await startAlarmWorld()
})
beforeEach(() => world.newDay())
afterAll(() => world.close())

describe('several servers, and none', () => {
  const server = randomUUID()
  const touch = () => touchServer(world.api.store.pool, server, world.now())

  it('opens an alarm once, and resolves it once, when turns come at the same time', async () => {
    const { rawKey } = await world.createOffice()
    await world.createCheck(inOffice)
    world.pass(30 * minute)
    await world.reap()
    const changes = await Promise.all([world.raise(), world.raise(), world.raise(), world.raise()])
    expect(changes.reduce((total, change) => total + change)).toBe(1)
    expect(await world.alarms()).toHaveLength(1)
    expect(await world.mails()).toHaveLength(1)
    await world.agentOf(rawKey).renew([])
    const ends = await Promise.all([world.raise(), world.raise(), world.raise(), world.raise()])
    expect(ends.reduce((total, change) => total + change)).toBe(1)
    expect(await world.mails()).toHaveLength(2)
  })

  it('raises no alarm after an outage while runs catch up', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({})
    await world.createCheck({ name: 'Hourly', frequency: 60, frequencyOffset: 10 })
    await touch()
    await world.live(20 * minute, { agents: [agent], step: 5 * minute })
    await touch()
    world.pass(3 * hour)
    expect(await touch()).not.toBeNull()
    await world.reap()
    expect(await world.raise()).toBe(0)
    // The agent needs a while to find the server again.
    for (let turn = 0; turn < 4; turn++) {
      await touch()
      expect(await world.live(minute)).toBe(0)
    }
    await touch()
    expect(await world.live(10 * minute, { agents: [agent] })).toBe(0)
    expect(await world.live(3 * hour, { agents: [agent], step: 10 * minute })).toBe(0)
    expect(await world.alarms()).toEqual([])
  })

  it('raises alarms for causes that persist some minutes after an outage', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({})
    await touch()
    await world.live(20 * minute, { agents: [agent], step: 5 * minute })
    world.pass(3 * hour)
    await touch()
    await world.reap()
    expect(await world.live(4 * minute)).toBe(0)
    expect(await world.live(2 * minute)).toBe(1)
  })

  it('keeps an alarm open over an outage', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({})
    await world.live(20 * minute, { agents: [agent], step: 5 * minute })
    await world.live(30 * minute, { idle: [agent], step: 5 * minute })
    expect(await world.alarms()).toMatchObject([{ kind: 'overdue', resolvedAt: null }])
    await touch()
    world.pass(2 * hour)
    await touch()
    expect(await world.live(30 * minute, { idle: [agent], step: 5 * minute })).toBe(0)
    expect(await world.alarms()).toMatchObject([{ kind: 'overdue', resolvedAt: null }])
  })

  it('waits after a start of the only server, even if its absence was too short for an outage', async () => {
    await world.createOffice()
    await world.createCheck(inOffice)
    world.pass(30 * minute)
    await touch()
    await world.reap()
    expect(await world.raise()).toBe(0)
    for (let turn = 0; turn < 4 * 12; turn++) {
      world.pass(5_000)
      await touch()
    }
    expect(await world.raise()).toBe(0)
    for (let turn = 0; turn < 12; turn++) {
      world.pass(5_000)
      await touch()
    }
    expect(await world.raise()).toBe(1)
  })
})
