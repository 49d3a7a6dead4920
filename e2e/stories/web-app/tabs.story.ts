// Many tabs, plain http, and a server that has a newer app.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppScene } from './app-scene.ts'

/** A name that isn't localhost: browsers give pages of it no locks over http. */
const plainHost = 'vedette.test'

describe('open tabs', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let checkId: string

  beforeAll(async () => {
    await app.open({}, [`--host-resolver-rules=MAP ${plainHost} 127.0.0.1`])
    checkId = await app.createCheck('Shop', '/shop')
    await app.account.run(checkId)
  }, 180_000)
  afterAll(() => app.close())

  function countStreams(context: BrowserContext): () => number {
    const streams = new Set<Page>()
    context.on('request', (request) => {
      if (request.url().includes('/v1/events')) streams.add(request.frame().page())
    })
    return () => streams.size
  }

  const stateIn = (page: Page, state: string) =>
    page.getByRole('row').filter({ hasText: 'Shop' }).getByText(state).waitFor()

  async function openTabs(context: BrowserContext, count: number, url: string): Promise<Page[]> {
    const tabs: Page[] = []
    for (let index = 0; index < count; index++) {
      const tab = await context.newPage()
      tabs.push(tab)
      await tab.goto(`${url}/checks`)
      await stateIn(tab, 'Passing')
    }
    return tabs
  }

  async function breakAndFix(tabs: Page[]): Promise<void> {
    app.site.on('/shop', { status: 503 })
    await app.account.run(checkId)
    await Promise.all(tabs.map((tab) => stateIn(tab, 'Failing')))
    app.site.on('/shop', { status: 200 })
    await app.account.run(checkId)
    await Promise.all(tabs.map((tab) => stateIn(tab, 'Passing')))
  }

  it('ten of them are live over one connection; another takes over when its tab is closed', async () => {
    const { context, page } = await app.signIn()
    await page.close()
    const streams = countStreams(context)
    const tabs = await openTabs(context, 10, app.url)
    await breakAndFix(tabs)
    expect(streams()).toBe(1)
    await tabs.shift()?.close()
    await breakAndFix(tabs)
    expect(streams()).toBe(2)
    await context.close()
  })

  it('over plain http each has a connection of its own', async () => {
    const url = app.url.replace('127.0.0.1', plainHost)
    const { context, page } = await app.signIn({}, url)
    expect(await page.evaluate('[isSecureContext, "locks" in navigator]')).toEqual([false, false])
    await page.close()
    const streams = countStreams(context)
    await breakAndFix(await openTabs(context, 3, url))
    expect(streams()).toBe(3)
    await context.close()
  })

  it('say that the server has a newer app, and load it instead of a missing screen', async () => {
    const { context, page } = await app.signIn()
    await page.goto(`${app.url}/checks`)
    const shop = page.getByRole('row').filter({ hasText: 'Shop' }).getByRole('link', { name: 'Shop' })
    await shop.waitFor()
    // As after an upgrade: another build, and the files of the one before are gone.
    let isOldPage = true
    await context.route('**/app/build.json', (route) => route.fulfill({ json: { id: 'newer' } }))
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isOldPage = false
    })
    await context.route('**/app/check-*.js', (route) =>
      isOldPage ? route.fulfill({ status: 404, body: '' }) : route.continue(),
    )
    await shop.click()
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor()
    expect(isOldPage).toBe(false)
    await context.close()
  })

  it('of an older app offer to reload when they are looked at again', async () => {
    const { context, page } = await app.signIn()
    await page.clock.install()
    await page.reload()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await context.route('**/app/build.json', (route) => route.fulfill({ json: { id: 'newer' } }))
    await page.clock.fastForward('02:00')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText('The server has a newer version of this app.').waitFor()
    const load = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Reload' }).click()
    await load
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await context.close()
  })
})
