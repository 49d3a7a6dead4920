// Editing checks and groups: drafts that survive; two people who save the same check.
import { getCheck, listChecks } from '@vedette/contracts'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppScene, owner } from './app-scene.ts'

describe('editing checks', { timeout: 180_000 }, () => {
  const app = new AppScene()
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    await app.open()
    ;({ context, page } = await app.signIn({ viewport: { width: 1440, height: 900 } }))
  }, 240_000)
  afterAll(() => app.close())

  const open = (path: string) => page.goto(app.url + path)
  const field = (label: string) => page.getByLabel(label, { exact: true })

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
    const id = await app.createCheck('Draft', '/home')
    await open(`/checks/${id}/edit`)
    await field('URL').fill(app.site.url('/draft'))
    page.once('dialog', (dialog) => dialog.accept())
    await page.reload()
    await page.getByText('These are your unsaved changes from before.').waitFor()
    expect(await field('URL').inputValue()).toBe(app.site.url('/draft'))
    const { origin } = new URL(page.url())
    await context.request.delete(`${origin}/v1/sign-in`, { headers: { 'x-vedette-app': '1', origin } })
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Password').fill(owner.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await field('URL').inputValue()).toBe(app.site.url('/draft'))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved\. Changed: URL/).waitFor()
    const stored = await app.account.call(getCheck, { params: { id } })
    expect(stored).toMatchObject({ request: { url: app.site.url('/draft') } })
  })

  it('asks once before changes are lost', async () => {
    const id = await app.createCheck('Left', '/home')
    await open(`/checks/${id}/edit`)
    await field('URL').fill(app.site.url('/left'))
    await page.getByRole('link', { name: 'Home' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Discard and leave' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await open(`/checks/${id}/edit`)
    expect(await field('URL').inputValue()).toBe(app.site.url('/home'))
  })

  it('two people save the same check: what only one changed is merged, the rest is chosen', async () => {
    const id = await app.createCheck('Ours', '/home')
    const other = await app.browser.newContext({ storageState: await context.storageState() })
    const theirs = await other.newPage()
    const path = `${app.url}/checks/${id}/edit`
    await Promise.all([page.goto(path), theirs.goto(path)])
    for (const tab of [page, theirs]) await tab.getByRole('heading', { name: 'Basics' }).click()
    const nameOf = (tab: Page) => tab.getByPlaceholder('Shop: checkout')
    await nameOf(page).fill('Mine')
    await nameOf(theirs).fill('Theirs')
    await theirs.getByLabel('URL', { exact: true }).fill(app.site.url('/theirs'))
    await theirs.getByRole('button', { name: 'Save' }).click()
    await theirs.getByText(/^Saved\./).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Someone else saved this meanwhile' })
    await dialog.getByText('Theirs').first().waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved\. Changed: Name/).waitFor()
    const stored = await app.account.call(getCheck, { params: { id } })
    expect(stored).toMatchObject({ name: 'Mine', request: { url: app.site.url('/theirs') } })
    await other.close()
  })

  it('duplicates a check, and deletes it after saying what is affected', async () => {
    const id = await app.createCheck('Original', '/home')
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
    expect(await app.account.call(listChecks, { query: { search: 'Copy of' } })).toEqual([])
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
    await field('URL').fill(app.site.url('/home'))
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'In the group', level: 1 }).waitFor()
    await page.goBack()
    const [stored] = await app.account.call(listChecks, {
      query: { search: 'In the group', applyGroupSettings: true },
    })
    expect(stored?.locations).toEqual(['eu-west-1'])
  })
})
