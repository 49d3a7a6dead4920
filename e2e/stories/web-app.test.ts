// The first visit to the app, in a real browser: from the printed link to the first result, and out again.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../browser.ts'
import { Scene } from '../scene.ts'
import { Site } from '../target/site.ts'
import { until } from '../until.ts'

describe('the web app', { timeout: 120_000 }, () => {
  const scene = new Scene()
  let site: Site
  let browser: Browser
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    await scene.open()
    site = await Site.open()
    browser = await openBrowser()
    page = await browser.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      // Scripts and styles that the content security policy refuses are errors too.
      if (/Content Security Policy|Refused to/.test(message.text())) problems.push(message.text())
    })
    // A fresh clone builds the app after the start.
    await until('the app', async () => (await openRoot()).includes('vedette-build'), 60_000)
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await site?.shut()
    await scene.close()
  })

  const openRoot = async () =>
    (await fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })).text()

  it('leads from the printed link to the first result', async () => {
    const link = /(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''
    await page.goto(link.replace(/^https?:\/\/[^/]+/, scene.account.baseUrl))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByLabel('URL').fill(site.url('/shop'))
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.getByText(/^Passed in Frankfurt at .*status 200/).waitFor({ timeout: 100_000 })
    // The token is neither in the history nor in the address.
    expect(page.url()).not.toContain('#')
  })

  it('shows the check as passing in the list, and why in its result', async () => {
    await page.getByRole('link', { name: 'Go to Home' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByRole('link', { name: 'Checks', exact: true }).click()
    const row = page.getByRole('row').filter({ hasText: '/shop' })
    await row.getByText('Passing').waitFor()
    await row.getByRole('link').click()
    await page.getByRole('tab', { name: 'Results' }).click()
    await page.locator('.results tbody a').first().click()
    await page.getByText(/^Passed in Frankfurt/).waitFor()
    expect(await page.getByRole('heading', { name: 'Timings' }).isVisible()).toBe(true)
    expect(await page.title()).toContain('Passed')
  })

  it('signs out, and opens the same address again after signing in', async () => {
    const address = page.url()
    await page.getByRole('button', { name: 'User menu of Ann' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(address)
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(/^Passed in Frankfurt/).waitFor()
    expect(page.url()).toBe(address)
    expect(problems).toEqual([])
  })
})
