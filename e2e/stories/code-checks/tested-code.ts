import { getTestSessionResult, listCheckResults, listTestSessionResultAssets } from '@vedette/contracts'
import { expect, it } from 'vitest'
import type { Scene } from '../../scene.ts'
import { until } from '../../until.ts'
import { buyInBrowser } from './shop-scripts.ts'
import { openTrace } from './trace-viewer.ts'
import { inTurn, watchCode } from './watched-code.ts'

export function testedCode(scene: Scene): void {
  const watched = watchCode(scene)
  const variables = () => [{ key: 'SHOP_URL', value: watched.shop.url() }]

  it('runs in a test session with its assets, and does not change the check', inTurn, async () => {
    const { shop, code } = watched
    const { account } = scene
    const id = await code.browser(buyInBrowser, { environmentVariables: variables() })
    shop.breaks({ isButtonMissing: true })
    const session = await code.test(id)
    shop.fix()
    expect(session).toMatchObject({ status: 'FAILED', results: [{ checkId: id, hasFailures: true }] })
    const testSessionResultId = session.results[0]?.testSessionResultId as string
    const params = { testSessionId: session.testSessionId, testSessionResultId }
    const result = await account.call(getTestSessionResult, { params })
    expect(result.failure?.message).toMatch(/Timeout 6000ms exceeded[\s\S]*Add to cart/)
    const { assets } = await account.call(listTestSessionResultAssets, { params })
    const trace = assets.find(({ type }) => type === 'trace')
    expect((await code.content(trace as { url: string })).subarray(0, 2).toString()).toBe('PK')
    expect(assets.map(({ type }) => type)).toEqual(expect.arrayContaining(['trace', 'screenshot', 'report']))
    expect(await (await account.fetch(`/v1/check-results/${id}`)).json()).toEqual([])
  })

  it('has a trace that opens in the viewer of this server, without other hosts', inTurn, async () => {
    const { shop, code } = watched
    const id = await code.browser(buyInBrowser, { environmentVariables: variables() })
    shop.breaks({ isPriceWrong: true })
    const failed = await scene.account.run(id)
    shop.fix()
    const [trace] = await code.assets(id, failed.id, 'trace')
    const viewerUrl = new URL(trace?.viewerUrl as string, scene.account.baseUrl)
    const visits = shop.requests.length
    const { actions, hosts } = await openTrace(viewerUrl.href, 'Navigate')
    expect(hosts).toEqual([viewerUrl.host])
    expect(viewerUrl.port).toBe(new URL(scene.account.baseUrl).port)
    // The viewer shows pages from the trace.
    expect(shop.requests).toHaveLength(visits)
    expect(actions.join('\n')).toMatch(/Navigate[\s\S]*fill the cart/)
  })

  it('runs by its schedule', inTurn, async () => {
    const { code } = watched
    const script = `import { test, expect } from '@playwright/test'
test('look', async ({ request }) => { expect((await request.get(process.env.SHOP_URL + '/')).ok()).toBe(true) })`
    const id = await code.multiStep(script, {
      environmentVariables: variables(),
      frequency: 1,
      // In about ten seconds: the offset has steps of six seconds from the full minute.
      frequencyOffset: (Math.floor(new Date().getUTCSeconds() / 6) + 2) % 10 || 10,
    })
    const results = await until(
      'a scheduled run',
      async () => {
        const found = await scene.account.call(listCheckResults, { params: { checkId: id } })
        return found.length > 0 && found
      },
      90_000,
    )
    expect(results[0]).toMatchObject({ hasFailures: false, runLocation: 'eu-west-1', attempts: 1 })
  })
}
