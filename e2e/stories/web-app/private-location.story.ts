// A private location from nothing, in the browser: create it, start a real agent with the copied command, see it connect, run a check.
import { createUrlMonitor, triggerCheckSessionsV2 } from '@vedette/contracts'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentProcess } from '../../agent-process.ts'
import { onDemandOnly } from '../../scene.ts'
import { AppScene } from './app-scene.ts'

describe('a private location in the app', { timeout: 120_000 }, () => {
  const app = new AppScene()
  let page: Page
  const open = (path: string) => page.goto(app.url + path)
  let agent: AgentProcess | null = null
  let checkId: string
  let settings: Record<string, string> = {}

  beforeAll(async () => {
    await app.open()
    const signedIn = await app.signIn()
    page = signedIn.page
    await signedIn.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  }, 180_000)
  afterAll(async () => {
    await agent?.remove()
    await app.close()
  })

  it('is created in a form, and waits for its first agent', async () => {
    await open('/locations')
    await page.getByText('No private locations yet').waitFor()
    await page.getByRole('button', { name: 'New private location' }).first().click()
    await page.getByRole('button', { name: 'Create' }).click()
    // Nothing was entered: the fields say what they need.
    await page.locator('.field-error').first().waitFor()
    await page.getByLabel('Name').fill('Office Bern')
    await expect.poll(() => page.getByLabel('Slug').inputValue()).toBe('office-bern')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Office Bern' }).waitFor()
    await page.getByText('Waiting for the first agent…').waitFor()
  })

  it('gives a command that starts an agent', async () => {
    await page.getByRole('button', { name: 'Copy the command' }).click()
    await page.getByText('Copied').waitFor()
    const command = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(command).toMatch(/^API_KEY=pl_\S+ SERVER_URL=http:\S+ npx vedette agent$/)
    const words = command.split(' ').flatMap((word) => {
      const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(word) ?? []
      return name === undefined || value === undefined ? [] : [[name, value]]
    })
    settings = Object.fromEntries(words)
    agent = await AgentProcess.start({ ...app.scene.agentSettings, ...settings, AGENT_NAME: 'bern-1' })
    await page.getByText('Connected: bern-1.').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'bern-1' })
    await row.getByText('Connected').waitFor()
    await row.getByText(/0 of 500 network/).waitFor()
  })

  it('does not show the key again', async () => {
    await page.reload()
    await page.getByRole('heading', { name: 'Start an agent' }).waitFor()
    expect(await page.content()).not.toContain(settings.API_KEY)
    await page.getByText('1 agent connected').waitFor()
  })

  it('runs a check, and shows its result and who ran it', async () => {
    const { scene } = app
    app.site.on('/intranet', { status: 500 })
    const check = await scene.account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        ...{
          name: 'Intranet',
          ...onDemandOnly,
          doubleCheck: false,
          locations: [],
          privateLocations: ['office-bern'],
        },
        request: {
          url: app.site.url('/intranet'),
          assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
        },
      },
    })
    checkId = check.id
    const { sessions } = await scene.account.call(triggerCheckSessionsV2, {
      body: { target: { checkId: [checkId] } },
    })
    await open(`/sessions/${sessions[0]?.checkSessionId}`)
    await page.getByText('bern-1').waitFor()
    await page.getByRole('link', { name: 'Failed' }).click()
    await page.getByText(/Failed in office-bern .* expected status 200, got 500/).waitFor()
    await open('/locations/office-bern')
    await page.getByRole('link', { name: 'Intranet' }).first().waitFor()
  })

  it('says which check would lose it before it is deleted', async () => {
    const { scene } = app
    await page.getByRole('button', { name: 'Delete' }).click()
    const used = page.getByRole('dialog', { name: 'Office Bern is in use' })
    await used.getByRole('link', { name: 'Intranet' }).waitFor()
    await used.getByRole('button', { name: 'Close' }).last().click()
    expect((await scene.account.fetch(`/v1/checks/${checkId}`, { method: 'DELETE' })).status).toBe(204)
    await page.getByText('No check runs here yet.').waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: /Delete the private location/ })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No private locations yet').waitFor()
  })
})
