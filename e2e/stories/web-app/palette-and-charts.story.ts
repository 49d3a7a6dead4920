// The command palette; selecting a range in a chart by mouse and by fingers, and copying its figures; the app over plain http.
import { checkRoutesOf, createCheckGroup, getCheckGroup } from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { until } from '../../until.ts'
import { AppScene } from './app-scene.ts'

const plainHost = 'vedette.test'

describe('the app', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let checkId: string

  beforeAll(async () => {
    const environment = { PUBLIC_URL: `http://${plainHost}` }
    await app.open(environment, [`--host-resolver-rules=MAP ${plainHost} 127.0.0.1`])
    checkId = await app.createCheck('Shop', '/shop')
    await app.account.run(checkId)
  }, 180_000)
  afterAll(() => app.close())

  const palette = (page: Page) => page.getByRole('combobox', { name: 'Search checks, groups and actions' })
  const rangeOf = (page: Page) => {
    const search = new URL(page.url()).searchParams
    return { from: Number(search.get('from')), to: Number(search.get('to')) }
  }
  async function openChart(page: Page) {
    await page.goto(`${app.url}/checks/${checkId}`)
    const plot = page.locator('.plot .u-over').first()
    // The chart may be drawn again when newer figures arrive.
    const box = await vi.waitFor(
      async () => {
        await plot.scrollIntoViewIfNeeded()
        const found = await plot.boundingBox()
        if (found === null) throw new Error('The chart has no size')
        return found
      },
      { timeout: 30_000 },
    )
    const at = (share: number) => box.x + share * box.width
    return { at, y: box.y + box.height / 2 }
  }

  it('finds a check, acts on it and changes the theme from the palette', async () => {
    const { context, page } = await app.signIn()
    await page.keyboard.press('Control+K')
    await palette(page).fill('shop')
    // Right after typing: it waits for what was typed.
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor()

    await page.keyboard.press('Control+K')
    await palette(page).fill('theme: dark')
    await page.keyboard.press('Enter')
    await palette(page).waitFor({ state: 'detached' })
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')

    await page.keyboard.press('/')
    await palette(page).fill('go to')
    const second = await page.getByRole('option').nth(1).innerText()
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('option', { selected: true }).innerText()).toBe(second)
    await page.keyboard.press('Escape')
    await palette(page).waitFor({ state: 'detached' })

    await page.keyboard.press('Control+K')
    await palette(page).fill('nothing is called like this')
    await page.getByText('and no action either').waitFor()
    await context.close()
  })

  it('says that the group of a check is muted, and unmutes the group', async () => {
    const group = await app.account.call(createCheckGroup, { body: { name: 'Storefront', muted: true } })
    const id = await app.createCheck('Cart', '/cart')
    await app.account.call(checkRoutesOf.URL.update, { params: { id }, body: { groupId: group.id } })
    const { context, page } = await app.signIn()
    await page.goto(`${app.url}/checks/${id}`)
    await page.getByText('no alerts are sent, even if this check isn’t muted').waitFor()
    await page.getByRole('button', { name: 'Unmute the group' }).click()
    await page.getByText('The checks of “Storefront” are no longer muted.').waitFor()
    await page.getByRole('button', { name: 'Unmute the group' }).waitFor({ state: 'detached' })
    const { muted } = await app.account.call(getCheckGroup, { params: { id: group.id } })
    expect(muted).toBe(false)
    await context.close()
  })

  it('zooms into the range that is dragged over, and back returns', async () => {
    const { context, page } = await app.signIn()
    const { at, y } = await openChart(page)
    await page.mouse.move(at(0.5), y)
    await page.mouse.down()
    await page.mouse.move(at(0.6), y)
    await page.mouse.move(at(0.75), y)
    await page.mouse.up()
    await page.waitForURL(/from=\d+/)
    const { from, to } = rangeOf(page)
    expect((to - from) / 3600).toBeCloseTo(6, 0)
    await page.goBack()
    await page.waitForURL((url) => !url.search.includes('from='), { timeout: 10_000 })
    expect(new URL(page.url()).pathname).toBe(`/checks/${checkId}`)
    await context.close()
  })

  it('zooms with two fingers', async () => {
    const { context, page } = await app.signIn({
      ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    })
    const { at, y } = await openChart(page)
    const touch = await context.newCDPSession(page)
    const fingers = (type: 'touchStart' | 'touchMove' | 'touchEnd', shares: readonly number[]) =>
      touch.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: shares.map((share, id) => ({ x: at(share), y, id })),
      })
    await fingers('touchStart', [0.45, 0.55])
    await fingers('touchMove', [0.4, 0.6])
    await fingers('touchMove', [0.3, 0.7])
    await fingers('touchEnd', [])
    await page.waitForURL(/from=\d+/)
    const { from, to } = rangeOf(page)
    expect((to - from) / 3600).toBeCloseTo(6, 0)
    await context.close()
  })

  it('copies the figures of a chart as CSV', async () => {
    const { context, page } = await app.signIn()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openChart(page)
    await page.getByRole('button', { name: 'Copy the chart Response time' }).click()
    await page.getByRole('menuitem', { name: 'Copy as CSV' }).click()
    await page.getByText('The figures are copied as CSV.').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    const [head = '', ...rows] = copied.trim().split(/\r?\n/)
    expect(head.replaceAll('"', '')).toBe('Time,p95,p50')
    expect(rows.filter((row) => /^"?\d{4}-\d\d-\d\dT[\d:.]+Z"?,"?\d/.test(row))).toHaveLength(1)
    await context.close()
  })

  it('warns over plain http: the cookie is not secure, and passkeys are hidden with the reason', async () => {
    const url = app.url.replace('127.0.0.1', plainHost)
    const { context, page } = await app.signIn({}, url)
    const cookies = await context.cookies(url)
    expect(cookies.map(({ secure, httpOnly }) => ({ secure, httpOnly }))).toEqual([
      { secure: false, httpOnly: true },
    ])
    await page.goto(`${url}/settings/security`)
    await page.getByText('You reach this server over plain http').waitFor()
    const passkeys = page.getByRole('region', { name: 'Passkeys' })
    await until('the reason', async () => /https/.test(await passkeys.innerText()))
    expect(await passkeys.getByRole('button').count()).toBe(0)

    await page.goto(`${app.url}/login`)
    const local = await app.signIn()
    await local.page.goto(`${app.url}/settings/security`)
    await local.page.getByText('Authenticator app').first().waitFor()
    expect(await local.page.getByText('over plain http').count()).toBe(0)
    await local.context.close()
    await context.close()
  })
})
