import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeliveryWorld, hook, second, startDeliveryWorld } from './deliver.fixture.ts'
import type { DeliveryOptions } from './deliver.ts'

let world: DeliveryWorld
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterEach(() => world.clear())
afterAll(() => world.close())

describe('what a channel has taken', () => {
  /** The store breaks off the first `failures` statements of this name. */
  function breaking(name: string, failures: number): DeliveryOptions['store'] {
    const { db, pool } = world.api.store
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
      const channel = await world.channelTo(url)
      const [id] = await world.decided(await world.check(), 'ALERT_FAILURE', [channel])
      world.delivery = world.open(true, { store: breaking(name, 1) })
      await world.deliverAll()
      world.pass(60 * second)
      await world.deliverAll()
      expect(taken.map((one) => one.id)).toEqual([id])
      expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', due_at: null })
      // It was our fault, not the channel's.
      expect((await world.api.alice.get(`/v1/alert-channels/${channel}`)).body.health.status).toBe('OK')
    },
  )

  it('says no secret variable when the channel repeats it', async () => {
    const secret = 'tok"en/0123456789'
    await world.api.alice.post('/v1/variables', { key: 'HOOK_SECRET', value: secret, secret: true })
    await world.api.alice.post('/v1/variables', { key: 'HOOK_ROOM', value: 'room-of-operations' })
    const { url, taken } = await hook((_, response, body) => response.writeHead(400).end(body))
    const template = '{"token": "{{HOOK_SECRET}}", "room": "{{HOOK_ROOM}}"}'
    const [id] = await world.decided(await world.check(), 'ALERT_FAILURE', [
      await world.channelTo(url, { template }),
    ])
    await world.deliverAll()
    expect(JSON.parse(taken[0]?.body ?? '')).toEqual({ token: secret, room: 'room-of-operations' })
    expect((await world.logOf(id)).result).toBe(
      'The channel responded with status 400 ({"token": "***", "room": "room-of-operations"}).',
    )
  })
})

describe('the end of an episode', () => {
  it('is not told to a channel that refused its beginning after the end was decided', async () => {
    let isRefusing = true
    const { url, taken } = await hook((_, response) => response.writeHead(isRefusing ? 404 : 200).end())
    const channel = await world.channelTo(url)
    const id = await world.check()
    await world.decided(id, 'ALERT_FAILURE', [channel])
    const [end] = await world.decided(id, 'ALERT_RECOVERY', [channel])
    await world.api.store.pool.query(
      'update alert_notifications set episode_at = created_at where check_id = $1',
      [id],
    )
    for (let n = 0; n < 6; n++) {
      await world.deliverAll()
      world.pass(20 * second)
    }
    isRefusing = false
    await world.deliverAll()
    expect(new Set(taken.map(({ body }) => body))).toEqual(new Set(['ALERT_FAILURE Shop']))
    expect(await world.logOf(end)).toMatchObject({
      status: 'FAILURE',
      result: 'The message was not sent, because this channel never received the alert that it ends.',
    })
  })
})

describe('stopping', () => {
  it('waits for what is just being claimed', async () => {
    const { url } = await hook()
    const [id] = await world.decided(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    const { promise: gate, resolve: letThrough } = Promise.withResolvers<void>()
    const { db, pool } = world.api.store
    const slow = Object.assign(Object.create(pool), {
      connect: () => gate.then(() => pool.connect()),
      query: pool.query.bind(pool),
    })
    world.delivery = world.open(true, { store: { db, pool: slow } })
    const turn = world.delivery.turn()
    const stopped = world.delivery.stop()
    letThrough()
    await stopped
    expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', due_at: null })
    await turn
  })

  it('gives up what hangs, and leaves it to the next server', async () => {
    const { url, taken } = await hook((_, response) => void (taken.length > 1 && response.end()))
    const [id] = await world.decided(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    world.delivery = world.open(true, { stopPatienceMs: 50 })
    await world.delivery.turn()
    await expect.poll(() => taken.length, { timeout: 20_000 }).toBe(1)
    await world.delivery.stop()
    const stopped = expect.stringContaining('was stopped')
    expect(await world.logOf(id)).toMatchObject({ status: 'IN_PROGRESS', result: stopped, attempts: 1 })
    world.delivery = world.open()
    world.pass(20 * second)
    await world.deliverAll()
    expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', attempts: 2 })
  })
})
