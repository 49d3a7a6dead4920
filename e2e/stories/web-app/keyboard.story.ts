// The way from the sign-in to a muted check without a mouse: with keys alone, and by roles and names alone, as screen readers have it.
import { updateCheck } from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AppScene, owner } from './app-scene.ts'
import { AxPage } from './ax-page.ts'

/** Whether a sticky bar covers the middle of the control that has the focus. */
const behindBars = `(() => {
  const control = document.activeElement
  const { x, y, width, height } = control.getBoundingClientRect()
  const bar = document.elementFromPoint(x + width / 2, y + height / 2)?.closest('.top-bar, .form-bar') ?? null
  return { name: control.outerHTML.slice(0, 200), isBehind: bar !== null && !bar.contains(control) }
})()`

describe('someone on call', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let checkId: string

  beforeAll(async () => {
    await app.open()
    checkId = await app.createCheck('Shop', '/shop')
    await app.account.run(checkId)
    app.site.on('/shop', { status: 503 })
    await app.account.run(checkId)
    await app.account.run(await app.createCheck('Wiki', '/wiki'))
  }, 180_000)
  afterAll(() => app.close())

  /** What has the focus; a dialog takes it a frame after it appears. It never stays on the page itself, where keys do nothing. */
  async function focused(page: Page): Promise<string> {
    // Not waitForFunction: the content security policy forbids to evaluate a text again and again.
    const read = () =>
      page.evaluate<string | null>(
        `(() => { const { activeElement: { tagName, textContent, id } } = document; return tagName === 'BODY' ? null : tagName + ' ' + (id || textContent.trim()) })()`,
      )
    return vi.waitUntil(read, { timeout: 5_000 })
  }

  /** Presses a key until something of that role and name has the focus. */
  async function pressUntil(
    page: Page,
    key: string,
    role: 'tab' | 'link' | 'button',
    name: RegExp,
  ): Promise<void> {
    const wanted = page.getByRole(role, { name })
    await wanted.first().waitFor()
    for (let turn = 0; turn < 60; turn++) {
      if ((await wanted.and(page.locator(':focus')).count()) > 0) return
      await page.keyboard.press(key)
      await focused(page)
    }
    throw new Error(`${key} doesn't reach the ${role} ${name}`)
  }

  it('finds the failing check and mutes it with keys alone', async () => {
    const context = await app.browser.newContext()
    const page = await context.newPage()
    await page.goto(`${app.url}/login`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await focused(page)).toContain('INPUT')
    await page.keyboard.type(owner.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(owner.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    expect(await focused(page)).toBe('H1 Home')

    await page.reload()
    await page.getByText('Needs attention').waitFor()
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('A Skip to content')
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('MAIN content')

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await focused(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('MAIN content')

    await page.keyboard.press('j')
    expect(await focused(page)).toBe('A Shop')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor()
    expect(await focused(page)).toBe('H1 Shop')

    await pressUntil(page, 'Tab', 'tab', /^Overview/)
    await page.keyboard.press('ArrowRight')
    await pressUntil(page, 'ArrowRight', 'tab', /^Results/)
    await page.locator('.results').waitFor()
    await page.keyboard.press('j')
    expect(await focused(page)).toMatch(/^A /)
    await page.keyboard.press('Enter')
    await page
      .getByText(/expected status 200, got 503/)
      .first()
      .waitFor()
    expect(await focused(page)).toBe('H1 Shop')

    await pressUntil(page, 'Tab', 'button', /^Mute for 1 h/)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Unmute' }).waitFor()
    await focused(page)
    await context.close()
  })

  it('never moves the focus behind the bars of a small screen', async () => {
    const { context, page } = await app.signIn({ viewport: { width: 390, height: 600 } })
    await page.goto(`${app.url}/checks/${checkId}/edit`)
    await page.locator('.form-bar').waitFor()
    for (const section of ['Basics', 'Schedule', 'Alerting'])
      await page.getByRole('heading', { name: section }).click()
    const hidden = new Set<string>()
    const seen = new Set<string>()
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let turn = 0; turn < 40; turn++) {
        await page.keyboard.press(key)
        const { name, isBehind } = await page.evaluate<{ name: string; isBehind: boolean }>(behindBars)
        seen.add(name)
        if (isBehind) hidden.add(name)
      }
    }
    expect([...hidden]).toEqual([])
    expect(seen.size).toBeGreaterThan(20)
    await context.close()
  })

  it('finds the cause and mutes it by roles and names alone', async () => {
    await app.account.call(updateCheck, { params: { id: checkId }, body: { muted: false, mutedUntil: null } })
    const context = await app.browser.newContext()
    const page = await AxPage.open(context, `${app.url}/login`)
    await page.type('textbox', 'Email', owner.email)
    await page.type('textbox', 'Password', owner.password)
    await page.press('button', 'Sign in')
    await page.find('heading', 'Home')
    await page.press('link', 'Shop')
    await page.find('heading', 'Shop')
    await page.press('tab', 'Results')
    await page.find('group', 'Results')
    await page.press('link', /^Failed|ago|:\d\d/)
    await page.find('region', 'What changed since it last passed')
    await page.find('heading', 'Assertions')
    await page.press('button', 'Mute for 1 h')
    await page.find('button', 'Unmute')
    await page.press('link', 'Checks')
    await page.find('heading', 'Checks')
    await page.find('table', 'Checks')
    await page.find('row', /Failing.*Shop|Shop.*Failing/s)
    await page.type('searchbox', /^Filter by name/, 'wiki')
    await page.find('status', /^1 check$/)
    await context.close()
  })
})
