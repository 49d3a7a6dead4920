import { createUrlMonitor, getCheckStatus } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Receivers } from '../../receivers/receivers.ts'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'
import { openWatchedShop } from './watched-shop.ts'

const dayMs = 86_400_000

export function certificates(scene: Scene, receivers: Receivers): void {
  const shop = openWatchedShop(scene)

  it('a certificate that is about to expire is notified once, to the channels with that threshold', async () => {
    const { account, authority } = scene
    const expiresAt = new Date(Date.now() + 10.5 * dayMs)
    const site = await Site.open({ tls: authority.issue({ hosts: ['localhost'], until: expiresAt }) })
    const channel = (name: string, switches: object) =>
      shop.channel({ type: 'EMAIL', config: { address: `${name}@shop.test` }, ...switches })
    const channels = [
      await channel('early', { sslExpiry: true, sslExpiryThreshold: 30 }),
      await channel('late', { sslExpiry: true, sslExpiryThreshold: 5 }),
      await channel('careless', {}),
    ]
    const { id } = await account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        name: 'Certified',
        ...onDemandOnly,
        locations: ['eu-west-1'],
        request: { url: site.url('/') },
        alertChannelSubscriptions: channels.map((alertChannelId) => ({ alertChannelId, activated: true })),
      },
    })
    for (let run = 0; run < 3; run++) await account.session(id)
    expect(await account.call(getCheckStatus, { params: { checkId: id } })).toMatchObject({
      sslDaysRemaining: 10,
      hasFailures: false,
    })
    // Later messages haven't overtaken it.
    site.on('/', { status: 500 })
    await account.session(id)
    const subjects = (name: string) => receivers.mail.to(`${name}@shop.test`).map(({ subject }) => subject)
    const failed = 'Check "Certified" has failed'
    for (const name of ['early', 'late', 'careless']) {
      await until(`the mail to ${name}`, () => subjects(name).includes(failed))
    }
    expect(subjects('early')).toEqual(['The SSL certificate for localhost will expire in 10 days', failed])
    expect(subjects('late')).toEqual([failed])
    expect(subjects('careless')).toEqual([failed])
    await site.shut()
  })
}
