import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners } from '../../testing/listeners.ts'
import { type DeliveryWorld, hook, second, startDeliveryWorld } from './deliver.fixture.ts'

let world: DeliveryWorld
beforeAll(async () => {
  world = await startDeliveryWorld()
})
afterEach(() => world.clear())
afterAll(() => world.close())

describe('several notifications', () => {
  it('of a check are sent to a channel in the order of their decision', async () => {
    let isDown = true
    const { url, received } = await hook((_, response) => response.writeHead(isDown ? 500 : 200).end())
    const channel = await world.channelTo(url)
    const id = await world.check()
    for (const type of ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE'])
      await world.insertAlert(id, type, [channel])
    await world.deliverAll()
    expect(received.map(({ body }) => body)).toEqual(['ALERT_FAILURE Shop'])
    isDown = false
    for (let n = 0; n < 3; n++) {
      world.pass(20 * second)
      await world.deliverAll()
    }
    expect(received.slice(1).map(({ body }) => body)).toEqual([
      'ALERT_FAILURE Shop',
      'ALERT_RECOVERY Shop',
      'ALERT_FAILURE Shop',
    ])
  })

  it('of one dead channel do not delay the others', async () => {
    const held: ServerResponse[] = []
    let isDead = true
    const dead = await hook((_, response) => void (isDead ? held.push(response) : response.end()))
    const well = await hook()
    const [deadChannel, wellChannel] = [await world.channelTo(dead.url), await world.channelTo(well.url)]
    for (let n = 0; n < 60; n++) await world.insertAlert(await world.check(), 'ALERT_FAILURE', [deadChannel])
    for (let n = 0; n < 60; n++) await world.insertAlert(await world.check(), 'ALERT_FAILURE', [wellChannel])
    const turn = world.delivery.turn()
    await expect.poll(() => well.received.length).toBe(60)
    expect(dead.received.length).toBeLessThanOrEqual(30)
    isDead = false
    for (const response of held) response.end()
    await turn
  })

  it('of very many dead channels do not delay the others', async () => {
    const dead = await hook(() => {})
    const well = await hook()
    const deadChannels: number[] = []
    for (let n = 0; n < 260; n++) deadChannels.push(await world.channelTo(dead.url))
    await world.api.store.pool.query('update alert_channels set failing_since = now()')
    const wellChannel = await world.channelTo(well.url)
    for (const id of [await world.check(), await world.check()]) {
      await world.insertAlert(id, 'ALERT_FAILURE', deadChannels)
      await world.insertAlert(id, 'ALERT_FAILURE', [wellChannel])
    }
    const turn = world.delivery.turn()
    await expect.poll(() => well.received.length).toBe(2)
    const tried = await world.api.store.pool.query('select sum(attempts) as total from alert_notifications')
    expect(Number(tried.rows[0].total)).toBe(100 + 2)
    await closeListeners()
    await turn
  })

  it('are each sent by one of several servers', async () => {
    const { url, received } = await hook()
    const channel = await world.channelTo(url)
    for (let n = 0; n < 40; n++) await world.insertAlert(await world.check(), 'ALERT_FAILURE', [channel])
    const others = [world.open(), world.open(), world.open()]
    await Promise.all([world.delivery, ...others].map((server) => server.turn()))
    await Promise.all(others.map((server) => server.stop()))
    await world.deliverAll()
    expect(received).toHaveLength(40)
    expect(new Set(received.map(({ id }) => id)).size).toBe(40)
  })
})
