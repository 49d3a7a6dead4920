import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeliveryWorld, hook, second, startDeliveryWorld } from './deliver.fixture.ts'
import type { DeliveryOptions } from './deliver.ts'

let world: DeliveryWorld
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterEach(() => world.clear())
afterAll(() => world.close())

describe('an accepted message', () => {
  /** A store whose first `failures` statements of this name fail. */
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
    'is not sent again after a database failure (%s)',
    async (name) => {
      const { url, received } = await hook()
      const channel = await world.channelTo(url)
      const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
      world.delivery = world.open(true, { store: breaking(name, 1) })
      await world.deliverAll()
      world.pass(60 * second)
      await world.deliverAll()
      expect(received.map((one) => one.id)).toEqual([id])
      expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', due_at: null })
      // The failure isn't the channel's.
      expect((await world.api.alice.get(`/v1/alert-channels/${channel}`)).body.health.status).toBe('OK')
    },
  )

  it('masks a secret variable that the channel repeats', async () => {
    const secret = 'tok"en/0123456789'
    await world.api.alice.post('/v1/variables', { key: 'HOOK_SECRET', value: secret, secret: true })
    await world.api.alice.post('/v1/variables', { key: 'HOOK_TEAM', value: 'operations-team' })
    const { url, received } = await hook((_, response, body) => response.writeHead(400).end(body))
    const template = '{"token": "{{HOOK_SECRET}}", "team": "{{HOOK_TEAM}}"}'
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [
      await world.channelTo(url, { template }),
    ])
    await world.deliverAll()
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ token: secret, team: 'operations-team' })
    expect((await world.logOf(id)).result).toBe(
      'The channel responded with status 400 ({"token": "***", "team": "operations-team"}).',
    )
  })
})

describe('the end of an episode', () => {
  it('is not sent to a channel that refused its first alert after the end was decided', async () => {
    let isRefusing = true
    const { url, received } = await hook((_, response) => response.writeHead(isRefusing ? 404 : 200).end())
    const channel = await world.channelTo(url)
    const id = await world.check()
    await world.insertAlert(id, 'ALERT_FAILURE', [channel])
    const [end] = await world.insertAlert(id, 'ALERT_RECOVERY', [channel])
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
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set(['ALERT_FAILURE Shop']))
    expect(await world.logOf(end)).toMatchObject({
      status: 'FAILURE',
      result: 'The message was not sent, because this channel never received the alert that it ends.',
    })
  })
})

describe('stopping', () => {
  it('waits for a claim in progress', async () => {
    const { url } = await hook()
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const { db, pool } = world.api.store
    const slow = Object.assign(Object.create(pool), {
      connect: () => gate.then(() => pool.connect()),
      query: pool.query.bind(pool),
    })
    world.delivery = world.open(true, { store: { db, pool: slow } })
    const turn = world.delivery.turn()
    const stopped = world.delivery.stop()
    open()
    await stopped
    expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', due_at: null })
    await turn
  })

  it('aborts hanging deliveries, and leaves them to the next server', async () => {
    const { url, received } = await hook((_, response) => void (received.length > 1 && response.end()))
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    world.delivery = world.open(true, { stopTimeoutMs: 50 })
    await world.delivery.turn()
    await expect.poll(() => received.length).toBe(1)
    await world.delivery.stop()
    const stopped = expect.stringContaining('was stopped')
    expect(await world.logOf(id)).toMatchObject({ status: 'IN_PROGRESS', result: stopped, attempts: 1 })
    world.delivery = world.open()
    world.pass(20 * second)
    await world.deliverAll()
    expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', attempts: 2 })
  })
})
