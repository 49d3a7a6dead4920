import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { claimNotifications, finishNotification } from '../../storage/alerts/notification-queue.ts'
import { touchServer } from '../../storage/runs/servers.ts'
import { clearTables } from '../../testing/database.ts'
import { raiseOutageAlarms, raiseUnknownAlarms } from '../decision/unknown-alarms.ts'
import { messageOf } from '../message/message-of.ts'
import { reasonOf } from '../message/wording.ts'
import { type AlarmWorld, inOffice, minute, startAlarmWorld } from './location-alarms.fixture.ts'

let world: AlarmWorld
let channelId: number
beforeAll(async () => {
  world = await startAlarmWorld()
})
beforeEach(async () => {
  await world.newDay()
  await clearTables(world.api.store, 'alert_channels', 'alert_notifications', 'check_groups')
  channelId = await createChannel('https://example.com/one')
})
afterAll(() => world.close())

async function createChannel(url: string, more: object = {}): Promise<number> {
  const config = { name: 'Hook', url, method: 'POST', headers: [], queryParameters: [] }
  const { status, body, text } = await world.api.alice.post('/v1/alert-channels', {
    type: 'WEBHOOK',
    config,
    ...more,
  })
  expect(status, text).toBe(201)
  return body.id
}

const raise = () => raiseUnknownAlarms(world.api.store.pool, world.now())

/** Passes time minute by minute; returns how many alarms were opened and resolved. */
async function live(ms: number, agents: Parameters<AlarmWorld['live']>[1] = {}): Promise<number> {
  let changes = 0
  for (let left = ms; left > 0; left -= minute) {
    await world.live(Math.min(minute, left), agents)
    changes += await raise()
  }
  return changes
}

/** Claims what waits to be sent, and records it as sent. */
async function deliver() {
  const { pool } = world.api.store
  const claimed = await claimNotifications(pool, {
    now: world.now(),
    limit: 100,
    perChannel: 100,
    perFailingChannel: 100,
    failingChannels: 100,
    busy: [],
    leaseMs: minute,
  })
  for (const notification of claimed)
    await finishNotification(pool, notification, { status: 'SUCCESS', result: 'ok' })
  return claimed
}

const messages = async () =>
  (await deliver()).map((notification) => {
    const linkTo = (kind: string, ...ids: string[]) => `http://vedette.test/${kind}/${ids.join('/')}`
    const message = messageOf(notification, { linkTo, analysis: null })
    return { channelId: notification.channelId, title: message.title, reason: reasonOf(message), message }
  })

const unknownAlarms = async () =>
  (await world.alarms()).filter(({ kind }: { kind: string }) => kind === 'unknown_checks')

describe('checks that no agent runs', () => {
  it('cause one message per channel, which lists all of them, and one when runs resume', async () => {
    const { rawKey } = await world.createOffice()
    const agent = world.agentOf(rawKey)
    for (let n = 1; n <= 20; n++)
      await world.createCheck({ ...inOffice, name: `Check ${String(n).padStart(2, '0')}` })
    expect(await live(5 * minute, { agents: [agent] })).toBe(0)
    // The state is unknown after four minutes; the message follows five minutes later.
    expect(await live(8 * minute)).toBe(0)
    expect(await live(3 * minute)).toBe(1)
    const sent = await messages()
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      channelId,
      title: "20 checks aren't running: Office has no connected agent",
      reason:
        'Their state is unknown. Start an agent for this location, or find out why it cannot reach the server.',
    })
    expect(sent[0]?.message.alarm?.checks).toHaveLength(20)
    const [alarm] = await unknownAlarms()
    expect(alarm).toMatchObject({ cause: 'no_agent', location: 'office', checkCount: 20, resolvedAt: null })
    expect(await live(20 * minute)).toBe(0)
    expect(await messages()).toEqual([])
    expect(await live(minute, { agents: [agent] })).toBe(1)
    const ended = await messages()
    expect(ended.map(({ title }) => title)).toEqual(['20 checks run again'])
    expect(ended[0]?.message).toMatchObject({
      alertType: 'CHECKS_RESUMED',
      dedupKey: `vedette-alarm-${alarm.id}`,
    })
    expect(await live(10 * minute, { agents: [agent] })).toBe(0)
    expect(await messages()).toEqual([])
    const { body: log } = await world.api.alice.get('/v1/alert-notifications')
    expect(log).toHaveLength(2)
    expect(log[0]).toMatchObject({ locationAlarmId: alarm.id, checkAlertId: alarm.id, status: 'SUCCESS' })
    expect((await world.api.alice.get('/v1/check-alerts')).body).toEqual([])
    expect((await world.api.bob.get('/v1/alert-notifications')).body).toEqual([])
  })

  it('cause one message, also with several servers', async () => {
    const { rawKey } = await world.createOffice()
    await world.createCheck(inOffice)
    await world.live(5 * minute, { agents: [world.agentOf(rawKey)] })
    await world.live(15 * minute)
    await Promise.all([raise(), raise(), raise(), raise()])
    expect(await messages()).toHaveLength(1)
  })

  it('cause no message when runs resume in time, or for muted and deactivated checks', async () => {
    const { rawKey } = await world.createOffice()
    const agent = world.agentOf(rawKey)
    await world.createCheck(inOffice)
    await world.createCheck({ ...inOffice, muted: true })
    const { id } = await world.createCheck(inOffice)
    await world.api.alice.put(`/v1/checks/url/${id}`, { activated: false })
    await live(5 * minute, { agents: [agent] })
    expect(await live(8 * minute)).toBe(0)
    expect(await live(5 * minute, { agents: [agent] })).toBe(0)
    expect(await messages()).toEqual([])
    await live(15 * minute)
    expect((await messages()).map(({ title }) => title)).toEqual([
      'Check "A check" isn\'t running: Office has no connected agent',
    ])
  })

  it('notify subscribed channels, each about its own checks, and the selected channels', async () => {
    await world.createOffice()
    const second = await createChannel('https://example.com/two')
    const selected = await createChannel('https://example.com/three')
    await createChannel('https://example.com/four')
    const subscribe = (ids: number[]) => ({
      alertChannelSubscriptions: ids.map((alertChannelId) => ({ alertChannelId, activated: true })),
    })
    const made = []
    for (const [name, ids] of [
      ['A', [channelId]],
      ['B', [channelId, second]],
    ] as const) {
      const { id } = await world.createCheck({ ...inOffice, name })
      await world.api.alice.put(`/v1/checks/url/${id}`, subscribe([...ids]))
      made.push(id)
    }
    const settings = { agentAlarmChannelIds: [selected], notifyUnknownAfterSeconds: 60 }
    expect((await world.api.alice.patch('/v1/accounts/me', { settings })).status).toBe(200)
    await live(8 * minute)
    const sent = await messages()
    expect(sent.map((one) => [one.channelId, one.message.alarm?.checks])).toEqual([
      [channelId, ['A', 'B']],
      [second, ['B']],
      [selected, ['A', 'B']],
    ])
    const wrong = { settings: { agentAlarmChannelIds: [2_000_000_000] } }
    expect((await world.api.alice.patch('/v1/accounts/me', wrong)).status).toBe(400)
    const reset = { agentAlarmChannelIds: [], notifyUnknownAfterSeconds: 300 }
    await world.api.alice.patch('/v1/accounts/me', { settings: reset })
  })
})

describe('a location without an agent, while others run the check', () => {
  beforeEach(async () => {
    const settings = { agentAlarmChannelIds: [channelId] }
    expect((await world.api.alice.patch('/v1/accounts/me', { settings })).status).toBe(200)
  })
  afterAll(() => world.api.alice.patch('/v1/accounts/me', { settings: { agentAlarmChannelIds: [] } }))

  it('causes a message to the selected channels, and one when an agent is back', async () => {
    await createChannel('https://example.com/subscribed-only', { autoSubscribe: true })
    const [ireland, virginia] = [await world.operator(['eu-west-1']), await world.operator(['us-east-1'])]
    await world.createCheck({ name: 'Shop', locations: ['eu-west-1', 'us-east-1'] })
    await live(20 * minute, { agents: [ireland] })
    expect(await messages()).toMatchObject([
      {
        channelId,
        title: 'Check "Shop" isn\'t running in N. Virginia: no agent is connected',
        reason: expect.stringMatching(/^Other locations may still run it\. Start an agent/),
      },
    ])
    expect(await unknownAlarms()).toEqual([])
    await live(2 * minute, { agents: [ireland, virginia] })
    expect(await messages()).toMatchObject([{ channelId, title: 'Check "Shop" runs in N. Virginia again' }])
  })

  it('has its own message when the check was removed from the location', async () => {
    const ireland = await world.operator(['eu-west-1'])
    const locations = ['eu-west-1', 'us-east-1']
    const { id } = await world.createCheck({ name: 'Shop', locations })
    await live(20 * minute, { agents: [ireland] })
    await messages()
    await world.api.alice.put(`/v1/checks/url/${id}`, { locations: ['eu-west-1'] })
    await live(minute, { agents: [ireland] })
    expect(await messages()).toMatchObject([
      { channelId, title: 'Check "Shop" is no longer scheduled in N. Virginia', reason: expect.any(String) },
    ])
  })

  it('causes no second message for checks in an unknown state', async () => {
    const { rawKey } = await world.createOffice()
    await world.createCheck(inOffice)
    await live(5 * minute, { agents: [world.agentOf(rawKey)] })
    await live(30 * minute)
    expect((await world.alarms()).map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'no_agent',
      'unknown_checks',
    ])
    expect(await messages()).toHaveLength(1)
    await live(2 * minute, { agents: [world.agentOf(rawKey)] })
    expect(await messages()).toHaveLength(1)
  })
})

describe('after an outage of all servers', () => {
  const server = randomUUID()
  const touch = () => touchServer(world.api.store.pool, server, world.now(), raiseOutageAlarms)

  it.each([
    ['sends nothing when it was short', 4 * minute, false],
    ['sends one message when checks were unknown for long enough', 30 * minute, true],
  ])('%s', async (_, outageMs, isNotified) => {
    const { rawKey } = await world.createOffice()
    const agent = world.agentOf(rawKey)
    await world.createCheck(inOffice)
    for (let n = 0; n < 5; n++) {
      await touch()
      await world.live(minute, { agents: [agent] })
    }
    await touch()
    world.pass(outageMs)
    expect(await touch()).not.toBeNull()
    await raise()
    const titles = (await messages()).map(({ title }) => title)
    for (let n = 0; n < 3; n++) {
      await touch()
      await live(minute, { agents: [agent] })
    }
    titles.push(...(await messages()).map(({ title }) => title))
    const expected = ['Check "A check" isn\'t running: no server was running', 'Check "A check" runs again']
    expect(titles).toEqual(isNotified ? expected : [])
  })
})
