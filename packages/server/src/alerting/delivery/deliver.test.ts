import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DeliveryWorld, hook, second, startDeliveryWorld } from './deliver.fixture.ts'

let world: DeliveryWorld
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterEach(() => world.clear())
afterAll(() => world.close())

describe('a notification', () => {
  it('arrives once and is in the log', async () => {
    const { url, received } = await hook()
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    await world.deliverAll()
    await world.deliverAll()
    expect(received).toEqual([{ id, body: 'ALERT_FAILURE Shop' }])
    expect(await world.logOf(id)).toEqual({
      status: 'SUCCESS',
      result: 'The channel responded with status 200 (ok).',
      attempts: 1,
      due_at: null,
    })
  })

  it('is retried with the same id until it is accepted', async () => {
    let refusals = 2
    const { url, received } = await hook((_, response) =>
      response.writeHead(refusals-- > 0 ? 500 : 200).end(),
    )
    const channel = await world.channelTo(url)
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
    await world.deliverAll()
    expect(await world.logOf(id)).toMatchObject({ status: 'IN_PROGRESS', attempts: 1 })
    expect((await world.api.alice.get(`/v1/alert-channels/${channel}`)).body.health).toMatchObject({
      status: 'FAILING',
    })
    await world.deliverAll()
    expect(received).toHaveLength(1)
    for (const _ of [1, 2]) {
      world.pass(20 * second)
      await world.deliverAll()
    }
    expect(received.map((one) => one.id)).toEqual([id, id, id])
    expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS', attempts: 3, due_at: null })
    expect((await world.api.alice.get(`/v1/alert-channels/${channel}`)).body.health).toEqual({
      status: 'OK',
      since: null,
      error: null,
    })
  })

  it('waits as long as the channel asks', async () => {
    let isBusy = true
    const { url, received } = await hook((_, response) =>
      isBusy ? response.writeHead(429, { 'retry-after': '300' }).end() : response.end(),
    )
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    await world.deliverAll()
    expect(await world.logOf(id)).toMatchObject({ status: 'RATE_LIMITED' })
    isBusy = false
    world.pass(299 * second)
    await world.deliverAll()
    expect(received).toHaveLength(1)
    world.pass(second)
    await world.deliverAll()
    expect(await world.logOf(id)).toMatchObject({ status: 'SUCCESS' })
  })

  it('that a channel keeps refusing is given up, and the channel is marked as refusing', async () => {
    const { url, received } = await hook((_, response) => response.writeHead(404).end('no such hook'))
    const channel = await world.channelTo(url)
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
    for (let n = 0; n < 10; n++) {
      await world.deliverAll()
      world.pass(20 * second)
    }
    // The first attempt and five retries, as on the wire.
    expect(received).toHaveLength(6)
    expect(await world.logOf(id)).toMatchObject({ status: 'FAILURE', due_at: null })
    const { health } = (await world.api.alice.get(`/v1/alert-channels/${channel}`)).body
    expect(health.status).toBe('REFUSING')
    expect(health.error).toContain('404')
  })

  it('that is refused for six hours is given up', async () => {
    const { url } = await hook((_, response) => response.writeHead(503).end())
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    for (let n = 0; n < 60; n++) {
      await world.deliverAll()
      world.pass(900 * second)
    }
    expect(await world.logOf(id)).toMatchObject({ status: 'FAILURE', due_at: null })
  })

  it('of a deleted channel fails', async () => {
    const { url, received } = await hook()
    const channel = await world.channelTo(url)
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
    await world.api.alice.delete(`/v1/alert-channels/${channel}`)
    await world.deliverAll()
    expect(received).toEqual([])
    expect(await world.logOf(id)).toMatchObject({
      status: 'FAILURE',
      result: 'The message was not sent, because the channel was deleted.',
    })
  })

  it('fails if alerts are turned off', async () => {
    const { url, received } = await hook()
    const channel = await world.channelTo(url)
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
    world.delivery = world.open(false)
    await world.deliverAll()
    expect(received).toEqual([])
    expect(await world.logOf(id)).toMatchObject({
      status: 'FAILURE',
      result: 'The message was not sent, because alerts are turned off on this server (ALERTS=off).',
    })
    expect((await world.api.alice.get(`/v1/alert-channels/${channel}`)).body.health.status).toBe('OK')
  })

  it('claimed by a server that died is due again later', async () => {
    const { url, received } = await hook()
    const [id] = await world.insertAlert(await world.check(), 'ALERT_FAILURE', [await world.channelTo(url)])
    await world.api.store.pool.query(
      `update alert_notifications set due_at = to_timestamp($1 / 1000.0), attempts = 1 where id = $2`,
      [world.now() + 60 * second, id],
    )
    await world.deliverAll()
    expect(received).toEqual([])
    world.pass(60 * second)
    await world.deliverAll()
    expect(received.map((one) => one.id)).toEqual([id])
  })
})
