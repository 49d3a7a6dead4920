import { expect, it } from 'vitest'
import { zipMembers } from '../../archives/zip-members.ts'
import { outcomesOf } from '../../code-account.ts'
import type { Scene } from '../../scene.ts'
import { shopSuite } from './shop-scripts.ts'
import { watchCode } from './watched-code.ts'

export function suites(scene: Scene): void {
  const watched = watchCode(scene)

  it('passes, is degraded, fails with the error and a trace, and recovers', async () => {
    const { shop, code, subscriptions } = watched
    const { account } = scene
    const id = await code.suite(shopSuite, {
      environmentVariables: [{ key: 'SHOP_URL', value: shop.url() }],
      alertChannelSubscriptions: subscriptions,
    })
    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, hasErrors: false, failure: null })
    expect(outcomesOf(passed.playwrightCheckResult)).toEqual({
      'shows what there is': 'expected',
      'finds ink': 'expected',
      'the price of a pen': 'expected',
    })
    expect(passed.playwrightCheckResult).toMatchObject({
      dependencyCache: 'miss',
      playwrightVersion: '1.58.2',
    })
    expect(passed.playwrightCheckResult?.playwrightTraceFiles).toHaveLength(3)

    shop.breaks({ delayMs: 1_300 })
    const slow = await account.run(id)
    expect(slow).toMatchObject({ isDegraded: true, hasFailures: false })
    expect(slow.playwrightCheckResult).toMatchObject({ dependencyCache: 'hit' })

    shop.breaks({ isPriceWrong: true })
    const failed = await account.run(id)
    expect(failed).toMatchObject({ hasFailures: true, failure: { kind: 'assertion' } })
    expect(failed.failure?.message).toMatch(/^the price of a pen: [\s\S]*€24\.00[\s\S]*€0\.01/)
    expect(outcomesOf(failed.playwrightCheckResult)).toEqual({
      ...outcomesOf(passed.playwrightCheckResult),
      'the price of a pen': 'unexpected',
    })
    expect(failed.playwrightCheckResult?.errors).toMatchObject([
      { testTitle: 'the price of a pen', testFile: 'till.spec.ts' },
    ])
    expect((await account.errorMessages(id)).join()).toContain('the price of a pen')
    const named = failed.playwrightCheckResult?.playwrightTraceFiles ?? []
    const trace = named.find(({ name }) => name === 'the price of a pen')
    const members = zipMembers(await code.content(trace as { url: string }))
    expect(members.map(({ content }) => `${content}`).join('\n')).toContain('/products/pen')

    shop.fix()
    expect(await account.run(id)).toMatchObject({ hasFailures: false, isDegraded: false })
    expect(await watched.alertTypes(id, 3)).toEqual([
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_FAILURE',
      'ALERT_RECOVERY',
    ])
  })
}
