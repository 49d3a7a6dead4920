// Creating and editing checks of every type, with a run before saving; drafts that survive; two people who save the same check.
import { createUrlMonitor, getCheck, listChecks } from '@vedette/contracts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suiteBundle } from '../../archives/suite-bundle.ts'
import { openBrowser } from '../../browser.ts'
import { onDemandOnly, Scene } from '../../scene.ts'
import { Greeter } from '../../target/greeter.ts'
import { NameServer } from '../../target/name-server.ts'
import { Shop } from '../../target/shop.ts'
import { Site } from '../../target/site.ts'
import { TcpPort } from '../../target/tcp-port.ts'
import { until } from '../../until.ts'
import { ScriptedModel } from '../agentic-checks/scripted-model.ts'

const email = 'ann@example.com'
const password = 'correct horse battery'
const day = 86_400_000

describe('editing checks', { timeout: 180_000 }, () => {
  const scene = new Scene()
  const refusals: string[] = []
  let site: Site
  let secure: Site
  let shop: Shop
  let port: TcpPort
  let names: NameServer
  let greeter: Greeter
  let model: ScriptedModel
  let browser: Browser
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    const until = new Date(Date.now() + 90 * day)
    site = await Site.open()
    secure = await Site.open({ tls: scene.authority.issue({ hosts: ['localhost'], until }) })
    shop = await Shop.open()
    port = await TcpPort.open()
    port.manner = { way: 'banner', text: '220 ready\r\n' }
    names = await NameServer.open({ names: { 'shop.test': { A: ['192.0.2.7'] } } })
    greeter = await Greeter.open()
    model = await ScriptedModel.open()
    await scene.open(model.settings)
    browser = await openBrowser()
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    page = await context.newPage()
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refusals.push(message.text())
    })
    await untilBuilt()
    const link = /(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''
    await page.goto(link.replace(/^https?:\/\/[^/]+/, scene.account.baseUrl))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await scene.close()
    await Promise.all([
      site?.shut(),
      secure?.shut(),
      shop?.shut(),
      port?.shut(),
      names?.close(),
      model?.close(),
    ])
    greeter?.shut()
  })

  const untilBuilt = () =>
    until(
      'the app',
      async () => {
        const response = await fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
        return (await response.text()).includes('vedette-build')
      },
      60_000,
    )

  const open = (path: string) => page.goto(scene.account.baseUrl + path)
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
    URL: { fill: () => field('URL').fill(site.url('/home')), verdict: /^Passed in Frankfurt/ },
    API: {
      async fill() {
        site.on('/orders', {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: '{"items":[{"id":7}]}',
        })
        await field('URL').fill(site.url('/orders'))
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
  expect((await request.get('${site.url('/home')}')).ok()).toBe(true)
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
    await open(`/checks/new?type=${type}`)
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
    const found = await scene.account.call(listChecks, { query: { search: `My ${type}, edited` } })
    expect(found.map(({ checkType }) => checkType)).toEqual([type])
    expect(refusals).toEqual([])
  })

  async function makeMonitor(name: string): Promise<string> {
    const body = {
      name,
      ...onDemandOnly,
      locations: ['eu-central-1' as const],
      request: { url: site.url('/home') },
    }
    return (await scene.account.call(createUrlMonitor, { query: { autoAssignAlerts: false }, body })).id
  }

  it('says what is wrong beside the field, before and after the server was asked', async () => {
    await open('/checks/new?type=URL')
    await field('URL').fill('nothing')
    await page.getByRole('button', { name: 'Create' }).click()
    const problems = page.getByRole('alert')
    await problems.getByRole('link', { name: 'Name' }).waitFor()
    expect(await field('URL').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('#field-request-url-error').innerText()).toContain('http or https URL')
    await problems.getByRole('link', { name: 'Name' }).click()
    expect(await page.evaluate('document.activeElement.id')).toBe('field-name')
  })

  it('keeps a draft when the page is reloaded, and when the session ends', async () => {
    const id = await makeMonitor('Draft')
    await open(`/checks/${id}/edit`)
    await field('URL').fill(site.url('/draft'))
    page.once('dialog', (dialog) => dialog.accept())
    await page.reload()
    await page.getByText('These are your unsaved changes from before.').waitFor()
    expect(await field('URL').inputValue()).toBe(site.url('/draft'))
    const { origin } = new URL(page.url())
    await context.request.delete(`${origin}/v1/sign-in`, { headers: { 'x-vedette-app': '1', origin } })
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await field('URL').inputValue()).toBe(site.url('/draft'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved\. Changed: URL/).waitFor()
    const stored = await scene.account.call(getCheck, { params: { id } })
    expect(stored).toMatchObject({ request: { url: site.url('/draft') } })
  })

  it('asks once before changes are lost', async () => {
    const id = await makeMonitor('Left')
    await open(`/checks/${id}/edit`)
    await field('URL').fill(site.url('/left'))
    await page.getByRole('link', { name: 'Home' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await open(`/checks/${id}/edit`)
    expect(await field('URL').inputValue()).toBe(site.url('/home'))
  })

  it('two people save the same check: what only one changed is merged, the rest is chosen', async () => {
    const id = await makeMonitor('Ours')
    const other = await browser.newContext({ storageState: await context.storageState() })
    const theirs = await other.newPage()
    const path = `${scene.account.baseUrl}/checks/${id}/edit`
    await Promise.all([page.goto(path), theirs.goto(path)])
    for (const tab of [page, theirs]) await tab.getByRole('heading', { name: 'Basics' }).click()
    const nameOf = (tab: Page) => tab.getByPlaceholder('Shop: checkout')
    await nameOf(page).fill('Mine')
    await nameOf(theirs).fill('Theirs')
    await theirs.getByLabel('URL', { exact: true }).fill(site.url('/theirs'))
    await theirs.getByRole('button', { name: 'Save' }).click()
    await theirs.getByText(/^Saved\./).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Someone else saved this meanwhile' })
    await dialog.getByText('Theirs').first().waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved\. Changed: Name/).waitFor()
    const stored = await scene.account.call(getCheck, { params: { id } })
    expect(stored).toMatchObject({ name: 'Mine', request: { url: site.url('/theirs') } })
    await other.close()
  })

  it('duplicates a check, and deletes it after saying what is affected', async () => {
    const id = await makeMonitor('Original')
    await open(`/checks/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Copy of Original', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: /Delete the check “Copy of Original”/ })
    await dialog.getByText('Nothing else uses it.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The check “Copy of Original” is deleted.').waitFor()
    expect(await scene.account.call(listChecks, { query: { search: 'Copy of' } })).toEqual([])
  })

  it('a group sets the locations of its checks', async () => {
    await open('/groups/new')
    await page.getByPlaceholder('Shop', { exact: true }).fill('The shop')
    await page.getByRole('heading', { name: 'Locations' }).click()
    await page.getByLabel('Ireland').check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'The shop', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'New check' }).first().click()
    await page.getByRole('link', { name: /^URL/ }).click()
    await page.getByPlaceholder('Shop: checkout').fill('In the group')
    await field('URL').fill(site.url('/home'))
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'In the group', level: 1 }).waitFor()
    await page.goBack()
    const [stored] = await scene.account.call(listChecks, {
      query: { search: 'In the group', applyGroupSettings: true },
    })
    expect(stored?.locations).toEqual(['eu-west-1'])
  })
})
