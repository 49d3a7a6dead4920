import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CodeAccount, outcomesOf } from '../code-account.ts'
import { Scene } from '../scene.ts'
import { Shop } from '../target/shop.ts'
import { everydayOutcomes, everydaySpec } from './playwright-features/everyday-spec.ts'
import { projectsSuite } from './playwright-features/projects-suite.ts'
import { visualSuite } from './playwright-features/visual-suite.ts'

describe('Playwright', { timeout: 180_000 }, () => {
  const scene = new Scene()
  let shop: Shop
  let code: CodeAccount
  beforeAll(async () => {
    shop = await Shop.open()
    await scene.open()
    code = new CodeAccount(scene.account)
  }, 180_000)
  afterAll(async () => {
    await scene.close()
    await shop.shut()
  })

  const environmentVariables = () => [{ key: 'SHOP_URL', value: shop.url() }]

  it('works in a browser check as documented', async () => {
    const id = await code.browser(everydaySpec, { environmentVariables: environmentVariables() })
    const result = await scene.account.run(id)
    expect(outcomesOf(result.browserCheckResult)).toEqual(everydayOutcomes)
    expect(result).toMatchObject({ hasFailures: false, isDegraded: false, failure: null })
  })

  it('works in a suite, with projects, dependencies, tags and a web server', async () => {
    const id = await code.suite(projectsSuite, {
      testCommand: 'npx playwright test --grep-invert @nightly',
      environmentVariables: environmentVariables(),
    })
    const { playwrightCheckResult: suite, ...result } = await scene.account.run(id)
    expect(result.failure).toBeNull()
    expect(outcomesOf(suite)).toEqual({
      ...everydayOutcomes,
      'sign in once': 'expected',
      'projects: is signed in already': 'expected',
      'projects: a phone': 'expected',
      'a server of the suite': 'expected',
    })
    expect(result).toMatchObject({ hasFailures: false, hasErrors: false })
    expect(suite).toMatchObject({ errors: [], testCounts: { flaky: 1, unexpected: 0, skipped: 1 } })
    const projects = ((suite?.tests ?? []) as { projectName: string }[]).map(({ projectName }) => projectName)
    expect([...new Set(projects)].sort()).toEqual(['desktop', 'phone', 'sign in', 'signed in'])
  })

  it('compares screenshots with committed ones', async () => {
    const settings = { environmentVariables: environmentVariables() }
    const first = await code.suite(visualSuite(null), {
      ...settings,
      testCommand: 'npx playwright test --update-snapshots',
    })
    const made = await scene.account.run(first)
    expect(outcomesOf(made.playwrightCheckResult)).toEqual({ 'looks as it did': 'expected' })
    const [picture] = await code.assets(first, made.id, 'screenshot')
    const png = await code.content(picture as { url: string })
    expect(png.subarray(1, 4).toString()).toBe('PNG')

    const id = await code.suite(visualSuite(png), settings)
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false, failure: null })

    shop.breaks({ isPriceWrong: true })
    const changed = await scene.account.run(id)
    shop.fix()
    expect(changed).toMatchObject({ hasFailures: true, failure: { kind: 'assertion' } })
    expect(changed.failure?.message).toMatch(/toHaveScreenshot[\s\S]*pixels/)
    const names = (await code.assets(id, changed.id, 'screenshot')).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([expect.stringMatching(/pen-diff\.png$/)]))
  })
})
