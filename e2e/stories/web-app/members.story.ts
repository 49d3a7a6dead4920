// Members and roles: invited by a link and by email, a role that changes while they look, their removal, and the log of it all.
import { createUrlMonitor, getMyAccount } from '@vedette/contracts'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../browser.ts'
import { MailServer } from '../../receivers/mail-server.ts'
import { onDemandOnly, Scene } from '../../scene.ts'
import { until } from '../../until.ts'

const password = 'correct horse battery'
const secret = 'the-secret-of-the-members-story'

describe('members of an account', { timeout: 120_000 }, () => {
  const scene = new Scene()
  let mails: MailServer
  let browser: Browser
  let owner: Page
  let member: Page
  let checkId: string
  let accountName: string
  const contexts: BrowserContext[] = []

  /** A browser of its own. */
  const newPerson = async (): Promise<Page> => {
    const context = await browser.newContext()
    contexts.push(context)
    return context.newPage()
  }
  const here = (link: string) => link.replace(/^https?:\/\/[^/]+/, scene.account.baseUrl)
  const open = (page: Page, path: string) => page.goto(scene.account.baseUrl + path)

  const accept = async (page: Page, link: string, name: string) => {
    await page.goto(here(link))
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }

  const invite = async (email: string) => {
    await open(owner, '/settings/members')
    await owner.getByRole('button', { name: 'Invite someone' }).click()
    const dialog = owner.getByRole('dialog', { name: 'Invite someone' })
    await dialog.getByLabel('Email').fill(email)
    await dialog.getByRole('button', { name: 'Invite' }).click()
  }

  beforeAll(async () => {
    await scene.open()
    mails = await MailServer.open()
    browser = await openBrowser()
    const root = () => fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    accountName = (await scene.account.call(getMyAccount)).name
    for (const name of ['Blog', 'Shop']) {
      const { id } = await scene.account.call(createUrlMonitor, {
        query: { autoAssignAlerts: false },
        body: {
          ...{ name, ...onDemandOnly, locations: ['eu-central-1'] },
          request: { url: 'https://shop.example.com' },
        },
      })
      checkId = id
    }
    owner = await newPerson()
    await owner.goto(here(/(\S+\/setup#\S+)/.exec(scene.running.output())?.[1] ?? ''))
    await owner.getByLabel('Name').fill('Ann')
    await owner.getByLabel('Email').fill('ann@example.com')
    await owner.getByLabel('Password').fill(password)
    await owner.getByRole('button', { name: 'Create the owner' }).click()
    await owner.getByRole('button', { name: 'Skip' }).click()
    await owner.getByRole('heading', { name: 'Home' }).waitFor()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    await mails?.shut()
    await scene.close()
  })

  it('are invited by a link to copy, if there is no mail server', async () => {
    await invite('bob@example.com')
    const dialog = owner.getByRole('dialog', { name: 'Invitation of bob@example.com' })
    const link = await dialog.locator('code').innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await owner
      .getByRole('listitem')
      .filter({ hasText: 'bob@example.com' })
      .getByText('Invited', { exact: true })
      .waitFor()
    await owner.reload()
    await owner.getByText('bob@example.com').waitFor()
    expect(await owner.content()).not.toContain(link.split('#')[1])
    member = await newPerson()
    await accept(member, link, 'Bob')
  })

  it('see what their role does not allow, with the role needed', async () => {
    await open(member, `/checks/${checkId}`)
    const pause = member.getByRole('button', { name: 'Pause' })
    await pause.waitFor()
    expect(await pause.getAttribute('aria-disabled')).toBe('true')
    await pause.focus()
    await member.keyboard.press('Tab')
    await member.keyboard.press('Shift+Tab')
    await member.getByText('This needs the role “Read and write”. Yours is “Read only”.').waitFor()
    await open(member, '/settings/audit-log')
    await member.getByText('This needs the role “Admin”.').waitFor()
  })

  it('see within seconds that their role was raised, and can use it', async () => {
    await open(member, `/checks/${checkId}`)
    await member.getByRole('button', { name: 'Pause' }).waitFor()
    await open(owner, '/settings/members')
    await owner.getByRole('button', { name: 'Role of Bob: Read only' }).click()
    await owner.getByRole('menuitem', { name: /^Read and write/ }).click()
    await member.getByText(`Your role in ${accountName} is “Read and write” now.`).waitFor()
    await member.getByRole('button', { name: 'Pause' }).click()
    await member.getByRole('button', { name: 'Resume' }).waitFor()
  })

  it('keep secrets, which leave no trace', async () => {
    await open(member, '/settings/variables')
    await member.getByRole('button', { name: 'Add a variable' }).click()
    await member.getByLabel('Name').fill('SHOP_PASSWORD')
    await member.getByLabel('Secret').check()
    await member.getByLabel('Value').fill(secret)
    await member.getByRole('button', { name: 'Add', exact: true }).click()
    await member.getByText('Added the variable SHOP_PASSWORD.').waitFor()
    const pages: [Page, string, string][] = [
      [member, '/settings/variables', 'The value isn’t shown.'],
      [member, '/settings/variables/SHOP_PASSWORD', 'A secret stays one.'],
      [owner, '/settings/audit-log?kind=Environment+variables', 'created the variable'],
    ]
    for (const [page, path, sign] of pages) {
      await open(page, path)
      await page.getByText(sign).first().waitFor()
      expect(await page.content()).not.toContain(secret)
    }
    await owner.locator('.audit-entry summary').first().click()
    await owner.getByText('POST /v1/variables').waitFor()
    expect(await owner.content()).not.toContain(secret)
    const kept = await member.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')
    expect(kept).not.toContain(secret)
  })

  it('are told when they are removed', async () => {
    await open(member, '/checks')
    await member.getByRole('row').filter({ hasText: 'Shop' }).waitFor()
    await open(owner, '/settings/members')
    await owner.getByRole('button', { name: `Remove Bob from ${accountName}` }).click()
    const dialog = owner.getByRole('dialog', { name: `Remove Bob from ${accountName}?` })
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await owner.getByText(`Removed Bob from ${accountName}.`).waitFor()
    await member.getByRole('heading', { name: `You are no longer a member of ${accountName}` }).waitFor()
  })

  it('are in the audit log, with both values', async () => {
    await open(owner, '/settings/audit-log')
    for (const words of [
      'Ann invited bob@example.com',
      'Bob accepted an invitation',
      'Ann changed the role of Bob',
      'Bob created the variable SHOP_PASSWORD',
      'Ann removed Bob',
      'Ann set up this server',
    ])
      await owner.locator('.audit-entry').filter({ hasText: words }).first().waitFor()
    await owner.getByLabel('Action').selectOption('update')
    const entry = owner.locator('.audit-entry').filter({ hasText: 'changed the role of Bob' })
    await entry.locator('summary').click()
    await entry.locator('del').getByText('READ_ONLY').waitFor()
    await entry.locator('ins').getByText('READ_WRITE').waitFor()
    expect(new URL(owner.url()).searchParams.get('action')).toBe('update')
  })

  it('say who deleted what is gone', async () => {
    const response = await scene.account.fetch(`/v1/checks/${checkId}`, { method: 'DELETE' })
    expect(response.status).toBe(204)
    await open(owner, `/checks/${checkId}`)
    await owner.getByText(/“Shop” was deleted by Ann/).waitFor()
    await open(owner, '/')
    await owner.getByText('Ann deleted the check Shop').waitFor()
  })

  it('are invited by email, and confirm a new email by a link', async () => {
    await scene.running.terminate()
    // Servers reserve parts of a limit: with another one, what was reserved before would exceed it.
    const limits = { RATE_LIMIT_PER_MINUTE: '1000000', RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000' }
    await scene.installation.start({ ...scene.agentSettings, ...mails.settings, ...limits })
    await invite('carol@example.com')
    await owner.getByText('Sent an invitation to carol@example.com.').waitFor()
    const linkTo = async (address: string, path: string): Promise<string> => {
      await until(`a mail to ${address}`, () => mails.to(address).length > 0, 60_000)
      return new RegExp(`http\\S+/${path}#[\\w-]+`).exec(mails.to(address)[0]?.text ?? '')?.[0] ?? ''
    }
    const carol = await newPerson()
    await accept(carol, await linkTo('carol@example.com', 'invite'), 'Carol')
    await open(carol, '/settings/profile')
    await carol.getByRole('button', { name: 'Change email' }).click()
    await carol.getByLabel('New email').fill('carol@example.org')
    await carol.getByRole('button', { name: 'Change', exact: true }).click()
    await carol.getByText('A link was sent to carol@example.org.').waitFor()
    await carol.goto(here(await linkTo('carol@example.org', 'email')))
    await carol.getByRole('button', { name: 'Confirm' }).click()
    await carol.getByText('Your email is carol@example.org now.').waitFor()
    await until(
      'a notice to the old address',
      () => mails.to('carol@example.com').some(({ subject }) => subject === 'Your email is about to change'),
      60_000,
    )
    expect(mails.faults).toEqual([])
  })
})
