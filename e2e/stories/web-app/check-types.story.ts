// Creating and editing a check of every type, with a run before saving.
import { listChecks } from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suiteBundle } from '../../archives/suite-bundle.ts'
import { onDemandOnly } from '../../scene.ts'
import { Greeter } from '../../target/greeter.ts'
import { NameServer } from '../../target/name-server.ts'
import { Shop } from '../../target/shop.ts'
import { Site } from '../../target/site.ts'
import { TcpPort } from '../../target/tcp-port.ts'
import { ScriptedModel } from '../agentic-checks/scripted-model.ts'
import { AppScene } from './app-scene.ts'

const day = 86_400_000

describe('checks of every type', { timeout: 180_000 }, () => {
  const app = new AppScene()
  const refusals: string[] = []
  let secure: Site
  let shop: Shop
  let port: TcpPort
  let names: NameServer
  let greeter: Greeter
  let model: ScriptedModel
  let page: Page

  beforeAll(async () => {
    const until = new Date(Date.now() + 90 * day)
    secure = await Site.open({ tls: app.scene.authority.issue({ hosts: ['localhost'], until }) })
    shop = await Shop.open()
    port = await TcpPort.open()
    port.manner = { way: 'banner', text: '220 ready\r\n' }
    names = await NameServer.open({ names: { 'shop.test': { A: ['192.0.2.7'] } } })
    greeter = await Greeter.open()
    model = await ScriptedModel.open()
    await app.open(model.settings)
    page = (await app.signIn({ viewport: { width: 1440, height: 900 } })).page
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refusals.push(message.text())
    })
  }, 240_000)
  afterAll(async () => {
    await app.close()
    await Promise.all([secure?.shut(), shop?.shut(), port?.shut(), names?.close(), model?.close()])
    greeter?.shut()
  })

  const field = (label: string) => page.getByLabel(label, { exact: true })
  const panel = () => page.getByRole('complementary', { name: 'Run of this draft' })
  /** Never by its schedule while the story runs. */
  const onDemand = async () => {
    await page.getByRole('heading', { name: 'Schedule' }).click()
    await field('Frequency').selectOption({ label: 'Every day' })
    await field('Offset within the period').fill(String(onDemandOnly.frequencyOffset))
  }
  const run = async () => {
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await panel().locator('.verdict').waitFor({ timeout: 120_000 })
    return panel().locator('.verdict').innerText()
  }

  interface Case {
    fill(): Promise<void>
    /** The verdict of the run before saving; absent: the type can't be run. */
    verdict?: RegExp
    /** What else can be seen after the run. */
    seen?(): Promise<void>
  }

  /** Typed, not filled: Chromium adds inline styles to what Playwright fills into editable content. */
  const script = async (text: string) => {
    await page.getByRole('textbox', { name: 'Script', exact: true }).click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
  }

  const cases: Record<string, Case> = {
    URL: { fill: () => field('URL').fill(app.site.url('/home')), verdict: /^Passed in Frankfurt/ },
    API: {
      async fill() {
        app.site.on('/orders', {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: '{"items":[{"id":7}]}',
        })
        await field('URL').fill(app.site.url('/orders'))
      },
      verdict: /^Passed in Frankfurt.*status 200/,
      async seen() {
        await panel().getByRole('button', { name: '$.items[0].id' }).click()
        await page.getByRole('button', { name: '$.items.length greater than 0' }).click()
        expect(await page.locator('[id^="field-request-assertions-"][id$="-source"]').count()).toBe(3)
        expect(await run()).toMatch(/^Passed/)
        expect(await panel().getByText('$.items[0].id 7').isVisible()).toBe(true)
      },
    },
    TCP: {
      async fill() {
        await field('Host').fill('localhost')
        await field('Port').fill(String(port.port))
        await page.getByRole('button', { name: 'Add assertion' }).click()
        await field('Value').fill('220')
        await field('Comparison').selectOption({ label: 'contains' })
      },
      verdict: /^Passed/,
    },
    DNS: {
      async fill() {
        await field('Name').last().fill('shop.test')
        await field('Name server').fill('127.0.0.1')
        await field('Port of the name server').fill(String(names.port))
      },
      verdict: /^Passed/,
    },
    ICMP: {
      fill: () => field('Host').fill('127.0.0.1'),
      verdict: /^Passed in Frankfurt/,
      seen: async () => expect(await panel().innerText()).toMatch(/packetLoss\s+0\s/),
    },
    SSL: {
      async fill() {
        await field('Host').fill('localhost')
        await field('Port').fill(String(secure.port))
      },
      verdict: /^(Passed|Degraded)/,
    },
    GRPC: {
      async fill() {
        await field('Host').fill('127.0.0.1')
        await field('Port').fill(String(greeter.port))
        await page.getByLabel('Use TLS').uncheck()
      },
      verdict: /^Passed/,
    },
    TRACEROUTE: {
      async fill() {
        await field('Host').fill('127.0.0.1')
        await field('Port').fill(String(port.port))
      },
      // The destination is the first hop.
      verdict: /^Passed in Frankfurt/,
      seen: () => panel().getByText('127.0.0.1').first().waitFor(),
    },
    HEARTBEAT: {
      async fill() {
        await field('A ping every').fill('2')
        await field('Unit of the period').selectOption('hours')
      },
    },
    BROWSER: {
      fill: () =>
        script(`import { expect, test } from '@playwright/test'
test('the shop opens', async ({ page }) => {
  console.log('on the way to the shop')
  await page.goto('${shop.url('/')}')
  await expect(page.getByRole('heading').first()).toBeVisible()
})
`),
      verdict: /^Passed/,
      async seen() {
        await panel().getByText('on the way to the shop').waitFor()
        const editor = "document.querySelector('.code-host').shadowRoot.querySelector('.cm-editor')"
        const display = await page.evaluate(`getComputedStyle(${editor}).display`)
        expect(display, 'the styles of the editor').toBe('flex')
      },
    },
    MULTI_STEP: {
      fill: () =>
        script(`import { expect, test } from '@playwright/test'
test('the home page', async ({ request }) => {
  expect((await request.get('${app.site.url('/home')}')).ok()).toBe(true)
})
`),
      verdict: /^Passed/,
    },
    PLAYWRIGHT: {
      async fill() {
        const tests = `import { expect, test } from '@playwright/test'
test('a sum', () => { expect(1 + 1).toBe(2) })
`
        await page.getByLabel('Archive of the suite (.tar.gz)').setInputFiles({
          name: 'suite.tar.gz',
          mimeType: 'application/gzip',
          buffer: suiteBundle({ 'tests/sum.spec.ts': tests }),
        })
        await page.getByText(/^Uploaded:/).waitFor()
        await field('Install command').fill('npm ci')
      },
      verdict: /^Passed/,
    },
    AGENTIC: {
      async fill() {
        model.prepare(
          [['navigate', { intent: 'Open the shop', url: shop.url('/products/pen') }]],
          [['assert', { condition: 'the price', kind: 'text_visible', expected: '€24.00' }]],
          [['done', { outcome: 'passed', summary: 'The pen has a price.' }]],
        )
        await field('What to verify').fill(
          `Open ${shop.url('/products/pen')} and verify that it costs €24.00.`,
        )
      },
      verdict: /^Passed/,
      seen: () => panel().getByText('The pen has a price.').first().waitFor(),
    },
  }

  it.each(Object.keys(cases))('%s: fill in, run, create, edit', async (type) => {
    const { fill, verdict, seen } = cases[type] ?? { fill: async () => {} }
    await page.goto(`${app.url}/checks/new?type=${type}`)
    await page.getByPlaceholder('Shop: checkout').fill(`My ${type}`)
    await fill()
    if (type !== 'HEARTBEAT') await onDemand()
    if (verdict !== undefined) expect(await run()).toMatch(verdict)
    await seen?.()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: `My ${type}`, level: 1 }).waitFor()
    if (type === 'HEARTBEAT') await page.getByText('/ping/').first().waitFor()
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: `Edit My ${type}` }).waitFor()
    await page.getByRole('heading', { name: 'Basics' }).click()
    await page.getByPlaceholder('Shop: checkout').fill(`My ${type}, edited`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. Changed: Name.').waitFor()
    await page.getByRole('heading', { name: `My ${type}, edited`, level: 1 }).waitFor()
    const found = await app.account.call(listChecks, { query: { search: `My ${type}, edited` } })
    expect(found.map(({ checkType }) => checkType)).toEqual([type])
    expect(refusals).toEqual([])
  })
})
