// From an incident to the status page, in the app: what is created there is what visitors see and subscribers read. The content
// security policy of the server is in force.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../browser.ts'
import { MailServer } from '../../receivers/mail-server.ts'
import { Scene } from '../../scene.ts'
import { until } from '../../until.ts'
import { linkIn, opensWith } from '../public-pages/stage.ts'

const subscriber = 'grace@example.com'

describe('public pages in the web app', { timeout: 120_000 }, () => {
  const scene = new Scene()
  let mail: MailServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const refusals: string[] = []

  beforeAll(async () => {
    mail = await MailServer.open()
    await scene.open(mail.settings)
    browser = await openBrowser()
    context = await browser.newContext()
    page = await context.newPage()
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refusals.push(message.text())
    })
    const root = () => fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    const link = /(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''
    await page.goto(link.replace(/^https?:\/\/[^/]+/, scene.account.baseUrl))
    await page.getByLabel('Name').fill('Ann')
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await scene.close()
    await mail.shut()
    expect(mail.faults).toEqual([])
    expect(refusals).toEqual([])
  })

  const open = (path: string) => page.goto(scene.account.baseUrl + path)
  const preview = (name: string) => page.frameLocator(`iframe[title="Preview of ${name}"]`)

  async function visit(path: string): Promise<Page> {
    const visitor = await browser.newPage()
    await visitor.goto(scene.account.baseUrl + path)
    return visitor
  }

  it('creates a service and a page with it', async () => {
    await open('/services')
    await page.getByRole('button', { name: 'New service' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Checkout')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('On no status page').waitFor()
    await page.getByRole('link', { name: 'Pages', exact: true }).click()
    await page.getByRole('link', { name: 'New status page' }).first().click()
    await page.getByLabel('Name').fill('Acme')
    await page.getByLabel('Address').fill('acme')
    await page.getByLabel('Checkout').check()
    await page.getByLabel('New services').fill('Sign-in,')
    const shown = page.frameLocator('iframe[title="Preview of the new page"]')
    await shown.getByRole('heading', { name: 'Sign-in' }).waitFor()
    await shown.getByText('All systems operational').waitFor()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor()
    const visitor = await visit('/s/acme')
    await visitor.getByText('All systems operational').waitFor()
    expect(await visitor.getByRole('heading', { name: 'Checkout' }).isVisible()).toBe(true)
    await visitor.close()
  })

  it('shows a change before it is saved, and moves services by keyboard', async () => {
    await page.getByRole('textbox', { name: 'Description' }).first().fill('Not saved yet')
    await preview('Acme').getByText('Not saved yet').waitFor()
    expect(await (await fetch(`${scene.account.baseUrl}/s/acme`)).text()).not.toContain('Not saved yet')
    await page.getByRole('button', { name: 'New group' }).click()
    await page.getByLabel('Name of the group').fill('Shop')
    await page.getByRole('button', { name: 'Edit Checkout' }).click()
    await page.getByLabel('In the group').selectOption({ label: 'Shop' })
    await page.getByRole('button', { name: 'Edit Sign-in' }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByText('Sign-in is number 2 of 2.').waitFor()
    // By mouse into the group, and back by the field.
    const rows = page.locator('.component-name')
    await page.locator('.grip').nth(2).dragTo(rows.first())
    await page.getByRole('button', { name: 'Edit Sign-in' }).click()
    expect(await page.getByLabel('In the group').locator('option:checked').innerText()).toBe('Shop')
    await page.getByLabel('In the group').selectOption({ label: 'None: on the page itself' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/^Saved: /).waitFor()
    await page.reload()
    await rows.first().waitFor()
    expect(await rows.allInnerTexts()).toEqual(['Shop · group', 'Checkout', 'Sign-in'])
    const visitor = await browser.newPage()
    await opensWith(visitor, `${scene.account.baseUrl}/s/acme`, 'Not saved yet')
    await visitor.getByRole('heading', { name: 'Shop' }).waitFor()
    await visitor.close()
  })

  it('asks before changes are lost, but not when another tab of the editor opens', async () => {
    await page.getByLabel('Name', { exact: true }).fill('Acme corp')
    await page.getByRole('tab', { name: 'Look' }).click()
    await preview('Acme').getByRole('heading', { name: 'Acme corp' }).waitFor()
    await page.getByRole('tab', { name: 'Subscribers' }).click()
    await page.getByText('No subscribers yet').waitFor()
    await page.getByRole('link', { name: 'Dashboards' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('tab', { name: 'Content' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('tab', { name: 'Subscribers' }).click()
  })

  it('adds a subscriber, who confirms', async () => {
    await page.getByLabel('Email addresses').fill(`${subscriber},`)
    await page.getByRole('button', { name: 'Add subscribers' }).click()
    await page.getByText('Not confirmed yet').waitFor()
    await until('the mail to confirm', () => mail.to(subscriber).length === 1)
    const [confirmation] = mail.to(subscriber)
    const visitor = await browser.newPage()
    await visitor.goto(linkIn(confirmation?.html ?? '', '/verify/'))
    await visitor.getByText(subscriber).waitFor()
    await visitor.close()
    await until('the confirmation', async () => {
      await page.reload()
      await page.getByText(subscriber).waitFor()
      return (await page.getByText('Confirmed', { exact: true }).count()) === 1
    })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await download).suggestedFilename()).toBe('acme-subscribers.csv')
  })

  it('opens an incident, posts an update and resolves it, for visitors and subscribers', async () => {
    await open('/incidents')
    await page.getByText('No incidents yet').waitFor()
    await page.getByRole('link', { name: 'Open an incident' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Checkout is slow')
    await page.getByLabel('Checkout', { exact: true }).check()
    await page.getByText('By email, those of “Acme”.').waitFor()
    await page.getByLabel('First update').fill('We are looking into it.')
    await page.getByRole('button', { name: 'Open the incident' }).click()
    await page.getByRole('heading', { name: 'Checkout is slow', level: 1 }).waitFor()
    const publicPath = await page.getByRole('link', { name: 'Acme' }).getAttribute('href')
    await until('the incident on the page', async () => {
      const text = await (await fetch(`${scene.account.baseUrl}/s/acme`)).text()
      return text.includes('Checkout is slow') && text.includes('Partial outage')
    })
    await until('the mail about the incident', () =>
      mail.to(subscriber).some(({ text }) => text.includes('We are looking into it.')),
    )
    await page.getByLabel('Text').fill('The payment provider is slow.')
    await page.getByRole('button', { name: 'Post update' }).click()
    await page.locator('.timeline').getByText('The payment provider is slow.').waitFor()
    await page.getByLabel('Status').selectOption({ label: 'Resolved' })
    await page.getByLabel('Text').fill('All is well again.')
    await page.getByRole('button', { name: 'Post and resolve' }).click()
    await page.getByLabel('Postmortem').fill('A timeout was too long.')
    await page.getByRole('button', { name: 'Save postmortem' }).click()
    await page.getByText('The postmortem was saved.').waitFor()
    for (const words of ['The payment provider is slow.', 'All is well again.'])
      await until(`the mail “${words}”`, () => mail.to(subscriber).some(({ text }) => text.includes(words)))
    await until('the end of the incident on its page', async () => {
      const text = await (await fetch(scene.account.baseUrl + publicPath)).text()
      return text.includes('All is well again.') && text.includes('A timeout was too long.')
    })
  })

  it('edits a dashboard beside its preview, and shows its key once', async () => {
    await open('/dashboards')
    await page.getByRole('button', { name: 'New dashboard' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Production')
    await page
      .frameLocator('.preview-box iframe:not(.unseen-frame)')
      .getByRole('heading', { name: 'Production' })
      .waitFor()
    await page.getByRole('tab', { name: 'Access' }).click()
    await page.getByLabel('Address').fill('production')
    await page.getByLabel('Private').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The key of the dashboard').waitFor()
    const key = (await page.locator('.secret-once code').textContent()) ?? ''
    const visitor = await visit('/d/production')
    await visitor.getByLabel('Key').fill(key)
    await visitor.getByRole('button').click()
    await visitor.getByRole('heading', { name: 'Production' }).waitFor()
    await visitor.close()
    await page.reload()
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
    expect(await page.content()).not.toContain(key)
  })
})
