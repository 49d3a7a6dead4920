// Delivery against real servers on loopback, on a clock of our own. What was decided stands in rows; what arrives is counted.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertAlert } from '../../testing/alerts.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { bodyOf, closeListeners, listenHttp } from '../../testing/listeners.ts'
import { type ChannelReach, openChannelReach } from './channel-reach.ts'
import { type Delivery, type DeliveryOptions, openDelivery } from './deliver.ts'

let api: TestApi
let reach: ChannelReach & { close(): void }
let delivery: Delivery
let now = Date.UTC(2026, 10, 15, 8)
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  reach = openChannelReach(api.config)
})
afterAll(async () => {
  reach.close()
  await api.close()
})
beforeEach(() => {
  delivery = open()
})
afterEach(async () => {
  await delivery.stop()
  await closeListeners()
  await api.store.pool.query('delete from alert_notifications')
})

function open(isOn = true, over: Partial<DeliveryOptions> = {}): Delivery {
  const { store, vault } = api
  return openDelivery({
    ...{ store, vault, isOn, clock: { now: () => now }, log: pino({ level: 'silent' }) },
    ...{ settings: reach.settings, senders: reach.senders, renderTemplate: reach.renderTemplate },
    ...over,
  })
}

/** Everything that is due, and that to its end. */
async function deliverAll(): Promise<void> {
  await delivery.turn()
  await delivery.stop()
  delivery = open()
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void

async function hook(answer: Answer = (_, response) => response.end('ok')) {
  const taken: { id: string; body: string }[] = []
  const { url } = await listenHttp(async (request, response) => {
    const body = await bodyOf(request)
    taken.push({ id: String(request.headers['x-vedette-id']), body })
    answer(request, response, body)
  })
  return { url, taken }
}

async function channelTo(url: string, config: object = {}): Promise<number> {
  const created = await api.alice.post('/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { url, template: '{{ALERT_TYPE}} {{CHECK_NAME}}', ...config },
  })
  expect(created.status, created.text).toBe(201)
  return created.body.id
}

async function check(name = 'Shop'): Promise<string> {
  const created = await api.alice.post('/v1/checks/url', {
    name,
    locations: ['eu-west-1'],
    frequency: 10,
    activated: false,
    request: { method: 'GET', url: 'http://127.0.0.1/' },
  })
  expect(created.status, created.text).toBe(201)
  return created.body.id
}

/** An alert of the check and its notifications, one per channel, in this order. */
async function decided(checkId: string, alertType: string, channels: number[]): Promise<string[]> {
  const account_id = api.alice.accountId
  const facts = {
    accountName: 'A',
    description: null,
    groupId: null,
    groupName: null,
    tags: ['web'],
    errorGroupId: null,
  }
  const kind = alertType.includes('RECOVERY') ? 'recovery' : 'failure'
  const alertId = await insertAlert(api.store.db, {
    ...{ account_id, check_id: checkId, at: now, alert_type: alertType, kind, name: 'Shop' },
    facts: JSON.stringify(facts),
  })
  const { rows } = await api.store.pool.query<{ id: string }>(
    `insert into alert_notifications (id, account_id, check_id, check_type, check_alert_id, alert_channel_id, type, kind,
       is_reminder, reminder_sequence, status, due_at, created_at)
     select gen_random_uuid(), $1, $2, 'URL', $3, channel, 'WEBHOOK', $4, false, 0, 'IN_PROGRESS',
       to_timestamp($5 / 1000.0), to_timestamp($5 / 1000.0)
     from unnest($6::integer[]) with ordinality as c (channel, place) order by place returning id`,
    [account_id, checkId, alertId, kind, now, channels],
  )
  return rows.map(({ id }) => id)
}

async function logOf(id: string | undefined) {
  const { rows } = await api.store.pool.query(
    'select status, notification_result as result, attempts, due_at from alert_notifications where id = $1',
    [id],
  )
  return rows[0]
}

const second = 1_000

describe('a notification', () => {
  it('arrives once and is in the log', async () => {
    const { url, taken } = await hook()
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url)])
    await deliverAll()
    await deliverAll()
    expect(taken).toEqual([{ id, body: 'ALERT_FAILURE Shop' }])
    expect(await logOf(id)).toEqual({
      status: 'SUCCESS',
      result: 'status 200: ok',
      attempts: 1,
      due_at: null,
    })
  })

  it('is tried again with the same id until it is taken', async () => {
    let refusals = 2
    const { url, taken } = await hook((_, response) => response.writeHead(refusals-- > 0 ? 500 : 200).end())
    const channel = await channelTo(url)
    const [id] = await decided(await check(), 'ALERT_FAILURE', [channel])
    await deliverAll()
    expect(await logOf(id)).toMatchObject({ status: 'IN_PROGRESS', attempts: 1 })
    expect((await api.alice.get(`/v1/alert-channels/${channel}`)).body.health).toMatchObject({
      status: 'FAILING',
    })
    await deliverAll()
    expect(taken).toHaveLength(1)
    for (const _ of [1, 2]) {
      now += 20 * second
      await deliverAll()
    }
    expect(taken.map((one) => one.id)).toEqual([id, id, id])
    expect(await logOf(id)).toMatchObject({ status: 'SUCCESS', attempts: 3, due_at: null })
    expect((await api.alice.get(`/v1/alert-channels/${channel}`)).body.health).toEqual({
      status: 'OK',
      since: null,
      error: null,
    })
  })

  it('waits as long as the channel asks', async () => {
    let isBusy = true
    const { url, taken } = await hook((_, response) =>
      isBusy ? response.writeHead(429, { 'retry-after': '300' }).end() : response.end(),
    )
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url)])
    await deliverAll()
    expect(await logOf(id)).toMatchObject({ status: 'RATE_LIMITED' })
    isBusy = false
    now += 299 * second
    await deliverAll()
    expect(taken).toHaveLength(1)
    now += second
    await deliverAll()
    expect(await logOf(id)).toMatchObject({ status: 'SUCCESS' })
  })

  it('that a channel keeps refusing is given up, and the channel is marked', async () => {
    const { url, taken } = await hook((_, response) => response.writeHead(404).end('no such hook'))
    const channel = await channelTo(url)
    const [id] = await decided(await check(), 'ALERT_FAILURE', [channel])
    for (let n = 0; n < 10; n++) {
      await deliverAll()
      now += 20 * second
    }
    // Once, and five retries as the wire has it.
    expect(taken).toHaveLength(6)
    expect(await logOf(id)).toMatchObject({ status: 'FAILURE', due_at: null })
    const { health } = (await api.alice.get(`/v1/alert-channels/${channel}`)).body
    expect(health.status).toBe('REFUSING')
    expect(health.error).toContain('404')
  })

  it('that nobody took in six hours is given up', async () => {
    const { url } = await hook((_, response) => response.writeHead(503).end())
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url)])
    for (let n = 0; n < 60; n++) {
      await deliverAll()
      now += 900 * second
    }
    expect(await logOf(id)).toMatchObject({ status: 'FAILURE', due_at: null })
  })

  it('of a deleted channel is over', async () => {
    const { url, taken } = await hook()
    const channel = await channelTo(url)
    const [id] = await decided(await check(), 'ALERT_FAILURE', [channel])
    await api.alice.delete(`/v1/alert-channels/${channel}`)
    await deliverAll()
    expect(taken).toEqual([])
    expect(await logOf(id)).toMatchObject({ status: 'FAILURE', result: 'the channel was deleted' })
  })

  it('is written off where alerts are off', async () => {
    const { url, taken } = await hook()
    const channel = await channelTo(url)
    const [id] = await decided(await check(), 'ALERT_FAILURE', [channel])
    delivery = open(false)
    await deliverAll()
    expect(taken).toEqual([])
    expect(await logOf(id)).toMatchObject({ status: 'FAILURE', result: 'not sent: ALERTS=off' })
    expect((await api.alice.get(`/v1/alert-channels/${channel}`)).body.health.status).toBe('OK')
  })

  it('that a server took along when it died comes due again', async () => {
    const { url, taken } = await hook()
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url)])
    await api.store.pool.query(
      `update alert_notifications set due_at = to_timestamp($1 / 1000.0), attempts = 1 where id = $2`,
      [now + 60 * second, id],
    )
    await deliverAll()
    expect(taken).toEqual([])
    now += 60 * second
    await deliverAll()
    expect(taken.map((one) => one.id)).toEqual([id])
  })
})

describe('what a channel has taken', () => {
  /** The store breaks off the first `failures` statements of this name. */
  function breaking(name: string, failures: number): DeliveryOptions['store'] {
    const { db, pool } = api.store
    const query = async (statement: { name?: string }) => {
      if (statement.name === name && failures-- > 0) throw new Error('Connection terminated unexpectedly')
      return pool.query(statement as never)
    }
    const broken = new Proxy(pool, { get: (of, key) => (key === 'query' ? query : Reflect.get(of, key, of)) })
    return { db, pool: broken }
  }

  it.each(['accept_notification_part', 'finish_notification'])(
    'is not sent again because the store was away for a moment (%s)',
    async (name) => {
      const { url, taken } = await hook()
      const channel = await channelTo(url)
      const [id] = await decided(await check(), 'ALERT_FAILURE', [channel])
      delivery = open(true, { store: breaking(name, 1) })
      await deliverAll()
      now += 60 * second
      await deliverAll()
      expect(taken.map((one) => one.id)).toEqual([id])
      expect(await logOf(id)).toMatchObject({ status: 'SUCCESS', due_at: null })
      // It was our fault, not the channel's.
      expect((await api.alice.get(`/v1/alert-channels/${channel}`)).body.health.status).toBe('OK')
    },
  )

  it('says no secret variable when the channel repeats it', async () => {
    const secret = 'tok"en/0123456789'
    await api.alice.post('/v1/variables', { key: 'HOOK_SECRET', value: secret, secret: true })
    await api.alice.post('/v1/variables', { key: 'HOOK_ROOM', value: 'room-of-operations' })
    const { url, taken } = await hook((_, response, body) => response.writeHead(400).end(body))
    const template = '{"token": "{{HOOK_SECRET}}", "room": "{{HOOK_ROOM}}"}'
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url, { template })])
    await deliverAll()
    expect(JSON.parse(taken[0]?.body ?? '')).toEqual({ token: secret, room: 'room-of-operations' })
    expect((await logOf(id)).result).toBe(
      'answered with status 400: {"token": "***", "room": "room-of-operations"}',
    )
  })
})

describe('the end of an episode', () => {
  it('is not told to a channel that refused its beginning after the end was decided', async () => {
    let isRefusing = true
    const { url, taken } = await hook((_, response) => response.writeHead(isRefusing ? 404 : 200).end())
    const channel = await channelTo(url)
    const id = await check()
    await decided(id, 'ALERT_FAILURE', [channel])
    const [end] = await decided(id, 'ALERT_RECOVERY', [channel])
    await api.store.pool.query('update alert_notifications set episode_at = created_at where check_id = $1', [
      id,
    ])
    for (let n = 0; n < 6; n++) {
      await deliverAll()
      now += 20 * second
    }
    isRefusing = false
    await deliverAll()
    expect(new Set(taken.map(({ body }) => body))).toEqual(new Set(['ALERT_FAILURE Shop']))
    expect(await logOf(end)).toMatchObject({
      status: 'FAILURE',
      result: 'not sent: nothing of what it ends has reached this channel',
    })
  })
})

describe('stopping', () => {
  it('waits for what is just being claimed', async () => {
    const { url } = await hook()
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url)])
    const { promise: gate, resolve: letThrough } = Promise.withResolvers<void>()
    const { db, pool } = api.store
    const slow = Object.assign(Object.create(pool), {
      connect: () => gate.then(() => pool.connect()),
      query: pool.query.bind(pool),
    })
    delivery = open(true, { store: { db, pool: slow } })
    const turn = delivery.turn()
    const stopped = delivery.stop()
    letThrough()
    await stopped
    expect(await logOf(id)).toMatchObject({ status: 'SUCCESS', due_at: null })
    await turn
  })

  it('gives up what hangs, and leaves it to the next server', async () => {
    const { url, taken } = await hook((_, response) => void (taken.length > 1 && response.end()))
    const [id] = await decided(await check(), 'ALERT_FAILURE', [await channelTo(url)])
    delivery = open(true, { stopPatienceMs: 50 })
    await delivery.turn()
    await expect.poll(() => taken.length).toBe(1)
    const began = performance.now()
    await delivery.stop()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await logOf(id)).toMatchObject({ status: 'IN_PROGRESS', attempts: 1 })
    delivery = open()
    now += 20 * second
    await deliverAll()
    expect(await logOf(id)).toMatchObject({ status: 'SUCCESS', attempts: 2 })
  })
})

describe('several notifications', () => {
  it('of a check reach a channel in the order they were decided', async () => {
    let isDown = true
    const { url, taken } = await hook((_, response) => response.writeHead(isDown ? 500 : 200).end())
    const channel = await channelTo(url)
    const id = await check()
    for (const type of ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE'])
      await decided(id, type, [channel])
    await deliverAll()
    expect(taken.map(({ body }) => body)).toEqual(['ALERT_FAILURE Shop'])
    isDown = false
    for (let n = 0; n < 3; n++) {
      now += 20 * second
      await deliverAll()
    }
    expect(taken.slice(1).map(({ body }) => body)).toEqual([
      'ALERT_FAILURE Shop',
      'ALERT_RECOVERY Shop',
      'ALERT_FAILURE Shop',
    ])
  })

  it('of one dead channel hold up nobody else', async () => {
    const held: ServerResponse[] = []
    let isDead = true
    const dead = await hook((_, response) => void (isDead ? held.push(response) : response.end()))
    const well = await hook()
    const [deadChannel, wellChannel] = [await channelTo(dead.url), await channelTo(well.url)]
    for (let n = 0; n < 60; n++) await decided(await check(), 'ALERT_FAILURE', [deadChannel])
    for (let n = 0; n < 60; n++) await decided(await check(), 'ALERT_FAILURE', [wellChannel])
    const turn = delivery.turn()
    await expect.poll(() => well.taken.length, { timeout: 10_000 }).toBe(60)
    expect(dead.taken.length).toBeLessThanOrEqual(30)
    isDead = false
    for (const response of held) response.end()
    await turn
  })

  it('of very many dead channels hold up nobody else', async () => {
    const dead = await hook(() => {})
    const well = await hook()
    const deadChannels: number[] = []
    for (let n = 0; n < 260; n++) deadChannels.push(await channelTo(dead.url))
    await api.store.pool.query('update alert_channels set failing_since = now()')
    const wellChannel = await channelTo(well.url)
    for (const id of [await check(), await check()]) {
      await decided(id, 'ALERT_FAILURE', deadChannels)
      await decided(id, 'ALERT_FAILURE', [wellChannel])
    }
    const turn = delivery.turn()
    await expect.poll(() => well.taken.length, { timeout: 10_000 }).toBe(2)
    const tried = await api.store.pool.query('select sum(attempts) as total from alert_notifications')
    expect(Number(tried.rows[0].total)).toBe(100 + 2)
    await closeListeners()
    await turn
  })

  it('are taken by one of several servers each', async () => {
    const { url, taken } = await hook()
    const channel = await channelTo(url)
    for (let n = 0; n < 40; n++) await decided(await check(), 'ALERT_FAILURE', [channel])
    const others = [open(), open(), open()]
    await Promise.all([delivery, ...others].map((server) => server.turn()))
    await Promise.all(others.map((server) => server.stop()))
    await deliverAll()
    expect(taken).toHaveLength(40)
    expect(new Set(taken.map(({ id }) => id)).size).toBe(40)
  })
})
