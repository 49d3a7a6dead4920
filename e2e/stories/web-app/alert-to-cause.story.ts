// A target breaks: from the link of the alert to the cause, on a phone in two taps.
import { createAlertChannel, getCheck, putAlertChannelSubscription } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../until.ts'
import { AppScene, owner } from './app-scene.ts'

describe('the link of an alert', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let checkId: string
  let link: string
  /** Links begin with PUBLIC_URL. */
  const publicUrl = () => app.url.replace('127.0.0.1', 'localhost')

  beforeAll(async () => {
    await app.open()
    checkId = await app.createCheck('Shop', '/shop')
    const { id } = await app.account.call(createAlertChannel, {
      body: {
        type: 'WEBHOOK',
        config: { name: 'Pager', url: app.site.url('/pager'), method: 'POST', template: '{{RESULT_LINK}}' },
      },
    })
    await app.account.call(putAlertChannelSubscription, {
      params: { id },
      body: { checkId, activated: true },
    })
    await app.account.run(checkId)
    app.site.on('/shop', {
      status: 503,
      headers: { 'content-type': 'application/json' },
      body: '{"error":"upstream"}',
    })
    await app.account.run(checkId)
    link = await until('the alert', () => app.site.seen('/pager')[0]?.body.trim(), 60_000)
  }, 240_000)
  afterAll(() => app.close())

  it('opens a summary without a session, and the result after signing in', async () => {
    expect(link.startsWith(`${publicUrl()}/r/`)).toBe(true)
    const context = await app.browser.newContext()
    const page = await context.newPage()
    await page.goto(link)
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    expect(await page.getByText('upstream').count()).toBe(0)
    await page.getByRole('link', { name: 'Sign in for details' }).click()
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password').fill(owner.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .getByText(/expected status 200, got 503/)
      .first()
      .waitFor()
    const changes = page.getByRole('region', { name: 'What changed since it last passed' })
    await changes.getByText('503').first().waitFor()
    await page.getByText('upstream').first().waitFor()
    expect(page.url()).toMatch(new RegExp(`/checks/${checkId}/results/[\\w-]+$`))
    // From now on the same link opens the result at once.
    const again = await context.newPage()
    await again.goto(link)
    await again
      .getByText(/expected status 200, got 503/)
      .first()
      .waitFor()
    expect(again.url()).toBe(page.url())
    await context.close()
  })

  it('and a muted check are two taps on a phone', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
    const { context, page } = await app.signIn(phone, publicUrl())
    app.site.on('/inbox', {
      headers: { 'content-type': 'text/html' },
      body: `<meta name=viewport content="width=device-width"><a href="${link}">Shop is failing</a>`,
    })
    await page.goto(app.site.url('/inbox'))
    await page.getByRole('link', { name: 'Shop is failing' }).tap()
    await page
      .getByText(/expected status 200, got 503/)
      .first()
      .waitFor()
    const mute = page.getByRole('button', { name: 'Mute for 1 h' })
    const box = await mute.boundingBox()
    expect(box).not.toBeNull()
    // In view without scrolling, and large enough for a thumb.
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(844)
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44)
    await mute.tap()
    await until(
      'the check to be muted',
      async () => (await app.account.call(getCheck, { params: { id: checkId } })).mutedUntil,
    )
    await page.getByRole('button', { name: 'Unmute' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await context.close()
  })
})
