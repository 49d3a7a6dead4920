import { expect, it } from 'vitest'
import { zipMembers } from '../../archives/zip-members.ts'
import { logOf } from '../../code-account.ts'
import type { Scene } from '../../scene.ts'
import { orderInSteps } from './shop-scripts.ts'
import { watchCode } from './watched-code.ts'

export function multiStepChecks(scene: Scene): void {
  const watched = watchCode(scene)

  it('passes, is degraded, fails with the error and a trace, and recovers', async () => {
    const { shop, code, subscriptions } = watched
    const { account } = scene
    const id = await code.multiStep(orderInSteps, {
      environmentVariables: [{ key: 'SHOP_URL', value: shop.url() }],
      alertChannelSubscriptions: subscriptions,
    })

    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, isDegraded: false, failure: null })
    expect([...shop.orders]).toEqual([['B-1000', { cart: ['pen'], name: 'a program' }]])
    expect(logOf(passed.multiStepCheckResult)).toContain('ordered B-1000')

    shop.breaks({ delayMs: 1_300 })
    expect(await account.run(id)).toMatchObject({ isDegraded: true, hasFailures: false })

    shop.breaks({ isCheckoutBroken: true })
    const failed = await account.run(id)
    expect(failed).toMatchObject({ hasFailures: true, failure: { kind: 'assertion' } })
    expect(failed.failure?.message).toMatch(/the order is accepted[\s\S]*201[\s\S]*500/)
    expect((await account.errorMessages(id)).join()).toContain('the order is accepted')
    const [trace] = await code.assets(id, failed.id, 'trace')
    const members = zipMembers(await code.content(trace as { url: string }))
    expect(members.map(({ content }) => `${content}`).join('\n')).toContain('/api/orders')

    shop.fix()
    expect(await account.run(id)).toMatchObject({ hasFailures: false, isDegraded: false })
    expect(await watched.alertTypes(id, 3)).toEqual([
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_FAILURE',
      'ALERT_RECOVERY',
    ])
  })
}
