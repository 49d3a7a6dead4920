// What people do with the app: notice a failure, find its cause, use the keyboard, keep several tabs open, sign in again.
import { createUrlMonitor } from '@vedette/contracts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../browser.ts'
import { onDemandOnly, Scene } from '../scene.ts'
import { Site } from '../target/site.ts'
import { until } from '../until.ts'

const email = 'ann@example.com'
const password = 'correct horse battery'

describe('the web app', { timeout: 120_000 }, () => {
  const scene = new Scene()
  let site: Site
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let checkId: string

  beforeAll(async () => {
    await scene.open()
    site = await Site.open()
    browser = await openBrowser()
    context = await browser.newContext()
    page = await context.newPage()
    const root = () => fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    const check = await scene.account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        ...{
          name: 'Shop',
          ...onDemandOnly,
          doubleCheck: false,
          locations: ['eu-central-1'],
          tags: ['production'],
        },
        request: {
          url: site.url('/shop'),
          assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
        },
      },
    })
    checkId = check.id
    await scene.account.run(checkId)
    const link = /(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''
    await page.goto(link.replace(/^https?:\/\/[^/]+/, scene.account.baseUrl))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await site?.shut()
    await scene.close()
  })

  const open = (path: string) => page.goto(scene.account.baseUrl + path)

  it('shows a new failure without a reload, in every tab, over one connection', async () => {
    await open('/')
    await page.getByText('All checks pass').waitFor()
    const second = await context.newPage()
    const streams: string[] = []
    second.on('request', (request) => {
      if (request.url().includes('/v1/events')) streams.push(request.url())
    })
    await second.goto(`${scene.account.baseUrl}/checks`)
    await second.getByRole('row').filter({ hasText: 'Shop' }).getByText('Passing').waitFor()
    site.on('/shop', { status: 503 })
    await scene.account.run(checkId)
    await page.getByRole('link', { name: 'Shop' }).first().waitFor()
    await second.getByRole('row').filter({ hasText: 'Shop' }).getByText('Failing').waitFor()
    expect(streams).toEqual([])
    await second.close()
  })

  it('leads from the failure to what changed', async () => {
    await page.getByRole('link', { name: 'Shop' }).first().click()
    await page.getByRole('tab', { name: 'Results' }).click()
    await page.locator('.results tbody a').first().click()
    await page.getByText(/expected status 200, got 503/).waitFor()
    const changes = page.getByRole('region', { name: 'What changed since it last passed' })
    await changes.getByText('503').first().waitFor()
    expect(await changes.getByText('Status', { exact: true }).isVisible()).toBe(true)
  })

  it('works with the keyboard alone', async () => {
    await open('/checks')
    await page.getByRole('row').filter({ hasText: 'Shop' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    const runs = site.seen('/shop').length
    await page.keyboard.press('r')
    await until('another run', () => site.seen('/shop').length > runs)
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('sho')
    await page.getByRole('option', { name: /^Shop/ }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
  })

  it('asks to sign in on top when the session ends, and keeps what was open', async () => {
    await open(`/checks/${checkId}?tab=results`)
    await page.locator('.results').waitFor()
    // Signed out elsewhere: the live stream ends, and the app asks why.
    const { origin } = new URL(page.url())
    const ended = await context.request.delete(`${origin}/v1/sign-in`, {
      headers: { 'x-vedette-app': '1', origin },
    })
    expect(ended.status()).toBe(204)
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(page.url()).toContain('?tab=results')
    expect(await page.locator('.results').isVisible()).toBe(true)
  })

  it('says how old its data is while the server is gone, and continues afterwards', async () => {
    await open('/')
    await page.getByText('Needs attention').waitFor()
    await scene.running.terminate()
    await page.getByText(/The server can’t be reached/).waitFor({ timeout: 60_000 })
    expect(await page.getByText('Needs attention').isVisible()).toBe(true)
    await scene.installation.start(scene.agentSettings)
    await page.getByText(/The server can’t be reached/).waitFor({ state: 'hidden', timeout: 60_000 })
  })
})
