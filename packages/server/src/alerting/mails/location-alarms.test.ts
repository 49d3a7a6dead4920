import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AlarmWorld, hour, inOffice, minute, startAlarmWorld } from './location-alarms.fixture.ts'

let world: AlarmWorld
beforeAll(async () => {
  world = await startAlarmWorld()
})
beforeEach(() => world.newDay())
afterAll(() => world.close())

describe('a location without an agent', () => {
  it('is one alarm for all checks, mailed once to each owner and admin', async () => {
    const { accountId } = world.api.alice
    for (const role of ['ADMIN', 'READ_WRITE', 'READ_ONLY'] as const)
      await world.api.addMember(accountId, role)
    await world.createOffice()
    for (let n = 1; n <= 12; n++)
      await world.createCheck({ ...inOffice, name: `Check ${String(n).padStart(2, '0')}` })
    expect(await world.live(10 * minute)).toBe(0)
    expect(await world.live(30 * minute, { step: 2 * minute })).toBe(1)
    const names = Array.from({ length: 10 }, (_, index) => `Check ${String(index + 1).padStart(2, '0')}`)
    expect(await world.alarms()).toEqual([
      {
        id: expect.any(String),
        location: 'office',
        kind: 'no_agent',
        cause: 'no_agent',
        checkIds: [],
        checkCount: 12,
        checks: names,
        unservedTypes: [],
        openedAt: world.at(12),
        resolvedAt: null,
      },
    ])
    const [alarm] = await world.alarms()
    const sent = await world.mails()
    const { rows } = await world.api.store.pool.query<{ email: string }>(
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
      openedAt: world.at(12),
      resolvedAt: null,
      end: null,
    })
  })

  it('is resolved when an agent connects, which is mailed too; the next absence opens another alarm', async () => {
    const { rawKey } = await world.createOffice()
    await world.createCheck(inOffice)
    await world.live(15 * minute, { step: 5 * minute })
    const agent = world.agentOf(rawKey)
    expect(await world.live(minute, { agents: [agent] })).toBe(1)
    expect(await world.alarms()).toMatchObject([{ kind: 'no_agent', resolvedAt: world.at(16) }])
    const [, over] = await world.mails()
    expect(over?.facts).toMatchObject({ resolvedAt: world.at(16), end: 'served' })
    expect(await world.live(30 * minute, { agents: [agent], step: 3 * minute })).toBe(0)
    expect(await world.live(10 * minute, { step: 5 * minute })).toBe(0)
    expect(await world.live(minute)).toBe(1)
    expect((await world.alarms()).map(({ resolvedAt }: { resolvedAt: string | null }) => resolvedAt)).toEqual(
      [null, world.at(16)],
    )
    expect(await world.mails()).toHaveLength(3)
  })

  it('counts from when an agent was last seen, also for checks that run once a day', async () => {
    const { rawKey } = await world.createOffice()
    await world.createCheck({ ...inOffice, frequency: 1440, frequencyOffset: 12 })
    const agent = world.agentOf(rawKey)
    await agent.renew([])
    expect(await world.live(10 * minute)).toBe(0)
    expect(await world.live(minute)).toBe(1)
  })

  it('counts from the first due run if no agent was ever connected', async () => {
    await world.createOffice()
    const { id } = await world.createCheck({ ...inOffice, frequency: 1440, frequencyOffset: 12 })
    const [lane] = await world.lanes(id)
    world.goTo(Date.parse(lane?.due_at ?? '') + 10 * minute - 1)
    await world.reap()
    expect(await world.raise()).toBe(0)
    world.pass(1)
    expect(await world.raise()).toBe(1)
  })

  it('opens no alarm until a check has been due for that long', async () => {
    const { rawKey } = await world.createOffice()
    const agent = world.agentOf(rawKey)
    await agent.renew([])
    expect(await world.live(hour, { step: 5 * minute })).toBe(0)
    await world.createCheck(inOffice)
    expect(await world.live(9 * minute)).toBe(0)
    expect(await world.live(2 * minute)).toBe(1)
  })

  it('is resolved when no check is assigned to it anymore', async () => {
    await world.createOffice()
    const { id } = await world.createCheck(inOffice)
    await world.live(15 * minute, { step: 5 * minute })
    await world.api.alice.put(`/v1/checks/url/${id}`, { activated: false })
    expect(await world.raise()).toBe(1)
    const [, over] = await world.mails()
    expect(over?.facts.end).toBe('unassigned')
    expect(await world.live(hour, { step: 5 * minute })).toBe(0)
  })

  it('stays open while its checks change, with the current number of checks', async () => {
    await world.createOffice()
    const { id } = await world.createCheck(inOffice)
    await world.live(15 * minute, { step: 5 * minute })
    await world.api.alice.put(`/v1/checks/url/${id}`, { name: 'Renamed' })
    await world.createCheck({ ...inOffice, name: 'Another' })
    expect(await world.raise()).toBe(0)
    expect(await world.alarms()).toMatchObject([
      { checkCount: 2, checks: ['Another', 'Renamed'], resolvedAt: null },
    ])
    expect(await world.mails()).toHaveLength(1)
  })

  it('can be a data-center location, and only the one without an agent', async () => {
    const agent = await world.operator(['eu-west-1'])
    await world.createCheck({ locations: ['eu-west-1', 'us-east-1'] })
    expect(await world.live(20 * minute, { agents: [agent] })).toBe(1)
    expect(await world.alarms()).toMatchObject([{ location: 'us-east-1', kind: 'no_agent', checkCount: 1 }])
    const [mail] = await world.mails()
    expect(mail?.facts).toMatchObject({ locationName: 'N. Virginia', isPrivate: false })
  })

  it('ignores checks that have no schedule', async () => {
    await world.createOffice()
    const { id } = await world.createCheck({ ...inOffice, activated: false })
    await world.api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
    const heartbeat = { period: 1, periodUnit: 'minutes', grace: 1, graceUnit: 'minutes' }
    const made = await world.api.alice.post('/v1/checks/heartbeat', { name: 'Job', heartbeat })
    expect(made.status).toBe(201)
    expect(await world.live(hour, { step: 5 * minute })).toBe(0)
  })

  it('is an alarm of its own account only', async () => {
    await world.createOffice()
    await world.createCheck(inOffice)
    await world.live(15 * minute, { step: 5 * minute })
    expect((await world.api.bob.get('/v1/location-alarms')).body).toEqual([])
    expect(await world.mails()).toHaveLength(1)
  })
})
