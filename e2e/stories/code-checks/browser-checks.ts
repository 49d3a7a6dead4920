import { expect, it } from 'vitest'
import { zipMembers } from '../../archives/zip-members.ts'
import { logOf } from '../../code-account.ts'
import type { Scene } from '../../scene.ts'
import { customer } from '../../target/shop-state.ts'
import { buyInBrowser, signInPlainly } from './shop-scripts.ts'
import { inTurn, watchCode } from './watched-code.ts'

export function browserChecks(scene: Scene): void {
  const watched = watchCode(scene)
  const environmentVariables = (more: object[] = []) => [
    { key: 'SHOP_URL', value: watched.shop.url() },
    ...(more as { key: string; value: string }[]),
  ]

  it('passes, is degraded, fails with the error and a trace, and recovers', {
    ...inTurn,
    tags: ['story'],
  }, async () => {
    const { shop, code, subscriptions } = watched
    const { account } = scene
    const id = await code.browser(buyInBrowser, {
      environmentVariables: environmentVariables(),
      alertChannelSubscriptions: subscriptions,
    })

    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, hasErrors: false, isDegraded: false, failure: null })
    expect([...shop.orders.values()]).toEqual([{ cart: ['pen'], name: 'Alice' }])
    expect(passed.browserCheckResult).toMatchObject({
      type: 'PLAYWRIGHT_TEST',
      errors: [],
      runtimeVersion: '2026.04',
      traceSummary: { consoleErrors: 0, networkErrors: 0, documentErrors: 0, userScriptErrors: 0 },
    })
    expect(passed.browserCheckResult?.pages?.[0]?.url).toBe(shop.url('/'))
    expect(passed.metrics.TTFB).toEqual(expect.any(Number))
    const kept = await code.assets(id, passed.id)
    expect(kept.map(({ type, name }) => `${type} ${name}`)).toContain('screenshot thanks.png')
    expect(kept.filter(({ type }) => type === 'trace')).toEqual([])

    shop.breaks({ delayMs: 1_300 })
    expect(await account.run(id)).toMatchObject({ isDegraded: true, hasFailures: false, failure: null })
    expect(await account.state(id)).toBe('degraded')

    shop.breaks({ isPriceWrong: true })
    const failed = await account.run(id)
    expect(failed).toMatchObject({ hasFailures: true, hasErrors: false, failure: { kind: 'assertion' } })
    expect(failed.failure?.message).toMatch(/toHaveText[\s\S]*€24\.00[\s\S]*€0\.01/)
    expect(await account.state(id)).toBe('failing')
    expect((await account.errorMessages(id)).join()).toContain('toHaveText')
    const [trace, ...others] = await code.assets(id, failed.id, 'trace')
    expect(others).toEqual([])
    const members = zipMembers(await code.content(trace as { url: string }))
    expect(members.map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/\.trace$/), expect.stringMatching(/\.network$/)]),
    )
    const actions = members.filter(({ name }) => name.endsWith('.trace')).map(({ content }) => `${content}`)
    expect(actions.join('\n')).toContain('Fountain pen')
    const part = await code.download(trace as { url: string }, { range: 'bytes=0-3' })
    expect([part.status, Buffer.from(await part.arrayBuffer()).toString('latin1')]).toEqual([
      206,
      'PK\x03\x04',
    ])
    expect(failed.browserCheckResult?.playwrightTestTraces).toHaveLength(1)

    shop.breaks({ isCheckoutBroken: true })
    const broken = await account.run(id)
    expect(broken.failure?.message).toContain('the till is broken')
    expect(broken.browserCheckResult?.traceSummary).toMatchObject({ documentErrors: 1 })

    shop.fix()
    expect(await account.run(id)).toMatchObject({ hasFailures: false, isDegraded: false })
    expect(await watched.alertTypes(id, 3)).toEqual([
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_FAILURE',
      'ALERT_RECOVERY',
    ])
  })

  it('runs a plain script, and names the line that threw', { ...inTurn, tags: ['story'] }, async () => {
    const { shop, code } = watched
    const password = (value: string) => ({ key: 'SHOP_PASSWORD', value, locked: true })
    const variables = environmentVariables([password(customer.password)])
    const id = await code.browser(signInPlainly, { environmentVariables: variables })
    const passed = await scene.account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, failure: null })
    expect(passed.browserCheckResult).toMatchObject({ type: 'PLAYWRIGHT' })
    expect(logOf(passed.browserCheckResult)).toContain('greeted with Hello, alice')
    expect((await code.assets(id, passed.id, 'screenshot')).map(({ name }) => name)).toEqual([
      'signed-in.png',
    ])

    const wrong = environmentVariables([password('no idea')])
    const failing = await code.browser(signInPlainly, { environmentVariables: wrong })
    const failed = await scene.account.run(failing)
    expect(failed).toMatchObject({ hasFailures: true, failure: { kind: 'timeout' } })
    expect(failed.failure?.message).toMatch(/Timeout 3000ms exceeded[\s\S]*nav span/)
    expect(shop.seen('/login').at(-1)).toMatchObject({
      method: 'POST',
      body: expect.stringContaining('alice'),
    })
  })

  it('counts errors in pages even if the script passed', inTurn, async () => {
    const { shop, code } = watched
    shop.breaks({ hasConsoleErrors: true, isAssetMissing: true })
    const script = `const { test } = require('@playwright/test')
test('look', async ({ page }) => { await page.goto(process.env.SHOP_URL + '/'); await page.waitForLoadState('networkidle') })`
    const id = await code.browser(script, { environmentVariables: environmentVariables() })
    const result = await scene.account.run(id)
    shop.fix()
    expect(result).toMatchObject({ hasFailures: false })
    expect(result.browserCheckResult?.traceSummary).toMatchObject({
      consoleErrors: expect.any(Number),
      userScriptErrors: 1,
    })
    expect(result.metrics.networkErrors).toBe(1)
    expect(result.metrics.consoleErrors).toBeGreaterThanOrEqual(1)
    const log = logOf(result.browserCheckResult)
    expect(log).toContain('the till is out of paper')
    expect(log).toContain('no receipt')
  })

  it('imports its dependencies, on schedule and in a test session', {
    ...inTurn,
    tags: ['story'],
  }, async () => {
    const { shop, code } = watched
    const { account } = scene
    const dependencies = [
      { path: 'shop/lib/helper.ts', content: "export { titleOf } from './pages/title'" },
      {
        path: 'shop/lib/pages/title.ts',
        content: `import type { Page } from '@playwright/test'
export const titleOf = async (page: Page) => { await page.goto(process.env.SHOP_URL + '/'); return page.title() }`,
      },
    ]
    const script = `import { expect, test } from '@playwright/test'
import { titleOf } from './lib/helper'
test('has a title', async ({ page }) => { expect(await titleOf(page)).not.toBe('') })`
    const files = { scriptPath: 'shop/title.spec.ts', dependencies }
    const id = await code.browser(script, { ...files, environmentVariables: environmentVariables() })
    expect(await account.run(id)).toMatchObject({ hasFailures: false, hasErrors: false, failure: null })
    expect(shop.seen('/')).not.toEqual([])
    expect(await code.test(id)).toMatchObject({ status: 'PASSED' })

    const plain = `const { word } = require('./lib/word')\nconsole.log('the word is ' + word)`
    const checkId = await code.multiStep(plain, {
      dependencies: [{ path: 'lib/word.js', content: "exports.word = 'pen'" }],
    })
    const result = await account.run(checkId)
    expect(result).toMatchObject({ hasFailures: false, failure: null })
    expect(logOf(result.multiStepCheckResult)).toContain('the word is pen')
  })

  it('reports a shop that is down, and one that redirects to itself', {
    ...inTurn,
    tags: ['story'],
  }, async () => {
    const { shop, code } = watched
    const script = `import { test } from '@playwright/test'
test('look', async ({ page }) => { await page.goto(process.env.SHOP_URL + '/') })`
    const id = await code.browser(script, { environmentVariables: environmentVariables() })
    shop.breaks({ isLooping: true })
    expect((await scene.account.run(id)).failure?.message).toContain('ERR_TOO_MANY_REDIRECTS')
    await shop.shut()
    const down = await scene.account.run(id)
    await shop.reopen()
    shop.fix()
    expect(down.failure?.message).toMatch(/ECONNREFUSED|ERR_CONNECTION_REFUSED|refused/i)
    expect(down.failure?.message).toContain(String(shop.port))
  })
}
