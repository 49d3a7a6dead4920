import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AlertWorld, type Outcome, startAlertWorld } from './alerts.fixture.ts'

let world: AlertWorld
beforeAll(async () => {
  world = await startAlertWorld()
})
afterAll(() => world.close())

describe('a certificate', () => {
  it('is notified once per channel and threshold, and again after a renewal', async () => {
    const early = await world.channel({ sslExpiry: true, sslExpiryThreshold: 30 })
    const lateOne = await world.channel({ sslExpiry: true, sslExpiryThreshold: 7 })
    const never = await world.channel()
    const id = await world.checkFor([early, lateOne, never], {
      request: { method: 'GET', url: 'https://shop.example.com/x' },
    })
    const day = 86_400_000
    let expiresAt = world.now() + 31.5 * day
    const seen = async (certificate: number) =>
      world.run(id, { sslDaysRemaining: Math.floor((certificate - world.now()) / day) } as Outcome)
    const other = expiresAt + 60 * day
    for (const wait of [0, 1, 1, 1, 20, 1, 1]) {
      world.pass(wait * day)
      await seen(expiresAt)
      // Another server behind the same name has another certificate.
      await seen(other)
    }
    // Renewed at once after the notification, and near its end again.
    expiresAt += 40 * day
    await seen(expiresAt)
    world.pass(35 * day)
    await seen(expiresAt)
    expect(await world.sentTo(early, id)).toEqual(['ALERT_SSL', 'ALERT_SSL'])
    expect(await world.sentTo(lateOne, id)).toEqual(['ALERT_SSL'])
    expect(await world.sentTo(never, id)).toEqual([])
    const { rows } = await world.api.store.pool.query(
      `select facts -> 'ssl' as ssl from check_alerts where check_id = $1 order by created_at`,
      [id],
    )
    expect(rows.map(({ ssl }) => ssl)).toEqual([
      { daysRemaining: 30, domain: 'shop.example.com' },
      { daysRemaining: 7, domain: 'shop.example.com' },
      { daysRemaining: 11, domain: 'shop.example.com' },
    ])
  })

  it('is not notified each time two servers behind one name alternate', async () => {
    const hook = await world.channel({ sslExpiry: true, sslExpiryThreshold: 30 })
    const id = await world.checkFor([hook])
    for (let turn = 0; turn < 5; turn++)
      for (const sslDaysRemaining of [5, 20]) await world.run(id, { sslDaysRemaining } as Outcome)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_SSL', 'ALERT_SSL'])
  })

  it('is notified if it replaces a notified one that was valid longer', async () => {
    const hook = await world.channel({ sslExpiry: true, sslExpiryThreshold: 30 })
    const id = await world.checkFor([hook])
    for (const sslDaysRemaining of [25, 25, 9, 9]) await world.run(id, { sslDaysRemaining } as Outcome)
    expect(await world.sentTo(hook, id)).toEqual(['ALERT_SSL', 'ALERT_SSL'])
  })
})
