// Dialogs, menus and panels of the app: how a person opens them.
import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { settleTestRuns } from '../dispatch/sessions.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { insertResults, wholeResult } from './results.ts'
import { giveTestPassword, testPassword } from './sign-in.ts'
import { runOf, type WebScene } from './web-scene.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const item = (page: Page, name: string | RegExp) => page.getByRole('menuitem', { name }).first()
const dialog = (page: Page) => page.getByRole('dialog').last()

async function openCheck(page: Page, { api, failing }: WebScene): Promise<void> {
  await page.goto(`${api.url}/checks/${failing.checkId}`)
  await page.locator('.u-legend').first().waitFor()
}

/** With three checks selected; on narrow screens rows have a checkbox only after the first. */
async function selectChecks(page: Page, { api }: WebScene): Promise<void> {
  await page.goto(`${api.url}/checks?tag=production`)
  await button(page, 'Actions for Storefront').click()
  await item(page, 'Select').click()
  for (const name of ['Orders API', 'Checkout'])
    await page.getByLabel(`Select ${name}`, { exact: true }).click()
  await page.getByText('3 selected').waitFor()
  // Halfway down, some row is partly behind the bar at the top, and axe finds its buttons too small.
  await page.evaluate('scrollTo(0, 0)')
}

async function chooseAction(page: Page, name: string): Promise<void> {
  await button(page, 'Actions for the selected checks').click()
  await item(page, name).click()
}

/** Runs what is in the form; the run ends as `isFailed` says. */
async function runDraft(page: Page, { api, failing }: WebScene, isFailed: boolean): Promise<void> {
  await page.goto(`${api.url}/checks/${failing.checkId}/edit`)
  const started = page.waitForResponse(
    (response) =>
      response.url().endsWith('/v1/test-sessions/drafts') && response.request().method() === 'POST',
  )
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const { testSessionId, runs } = await (await started).json()
  await page.getByText('Waiting for an agent').first().waitFor()
  const results = runs.map(({ sequenceId, runLocation }: { sequenceId: string; runLocation: string }) => ({
    ...wholeResult({
      ...{ accountId: api.alice.accountId, checkId: failing.checkId, checkType: 'URL', source: 'session' },
      ...{ location: runLocation, runId: sequenceId, scheduledAt: Date.now() },
      ranAt: { agentId: randomUUID(), agentName: 'fra-1', isBuiltIn: false },
      ...runOf(240, isFailed),
    }),
    testSessionId,
  }))
  await inTransaction(api.store.pool, (client) => settleTestRuns(client, results, Date.now()))
  await page.locator('.verdict').first().waitFor()
}

export const dialogs: Record<string, (page: Page, scene: WebScene) => Promise<void>> = {
  async palette(page, { api }) {
    await page.goto(`${api.url}/`)
    await page.getByText('Needs attention').waitFor()
    await page.keyboard.press('Control+K')
    await page.getByRole('combobox').fill('check')
    await page.getByRole('option').nth(2).waitFor()
  },
  async help(page, { api }) {
    await page.goto(`${api.url}/`)
    await page.getByText('Needs attention').waitFor()
    await page.keyboard.press('?')
    await dialog(page).waitFor()
  },
  async 'mute-menu'(page, scene) {
    await openCheck(page, scene)
    await button(page, 'Mute Checkout for another time').click()
    await item(page, /Mute/).waitFor()
  },
  async 'check-menu'(page, scene) {
    await openCheck(page, scene)
    await button(page, 'More actions').click()
    await item(page, 'Duplicate').waitFor()
  },
  async 'delete-check'(page, scene) {
    await openCheck(page, scene)
    await button(page, 'More actions').click()
    await item(page, 'Delete').click()
    await dialog(page).getByRole('button', { name: 'Delete' }).waitFor()
  },
  async 'custom-range'(page, scene) {
    await openCheck(page, scene)
    await button(page, 'Custom').click()
  },
  async 'row-menu'(page, { api }) {
    await page.goto(`${api.url}/checks?tag=production`)
    await button(page, 'Actions for Storefront').click()
    await item(page, 'Run now').waitFor()
  },
  selection: selectChecks,
  async 'bulk-tag'(page, scene) {
    await selectChecks(page, scene)
    if ((page.viewportSize()?.width ?? 0) < 800) await chooseAction(page, 'Tag…')
    else await button(page, 'Tag…').click()
    await dialog(page).getByRole('textbox').first().waitFor()
  },
  async 'bulk-preview'(page, scene) {
    await selectChecks(page, scene)
    await chooseAction(page, 'Resume')
    await dialog(page).getByRole('button').nth(1).waitFor()
  },
  async 'bulk-delete'(page, scene) {
    await selectChecks(page, scene)
    await chooseAction(page, 'Delete…')
    await dialog(page).getByRole('textbox').first().waitFor()
  },
  'run-passed': (page, scene) => runDraft(page, scene, false),
  'run-failed': (page, scene) => runDraft(page, scene, true),
  async 'create-key'(page, { api }) {
    await page.goto(`${api.url}/settings/api-keys`)
    await button(page, 'Create a key').click()
    await dialog(page).getByLabel('Name').waitFor()
  },
  /** Ten minutes after people last proved who they are. */
  async confirmation(page, { api }) {
    await page.goto(`${api.url}/settings/api-keys`)
    await button(page, 'Create a key').click()
    await dialog(page).getByLabel('Name').fill('Deploys')
    // The server keeps a sign-in in memory: its refusal is given here instead of ten minutes later.
    const error = {
      statusCode: 403,
      error: 'Forbidden',
      message: 'Confirm',
      attributes: { code: 'confirmation_required' },
    }
    await page.route('**/v1/service-api-keys', (route) => route.fulfill({ status: 403, json: error }))
    await dialog(page).getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog', { name: 'Confirm that it’s you' }).getByLabel('Password').waitFor()
  },
  async 'leave-form'(page, { api, failing }) {
    await page.goto(`${api.url}/checks/${failing.checkId}/edit`)
    await page.getByLabel('URL', { exact: true }).fill('https://shop.example.com/other')
    await page.getByRole('link', { name: 'Checks' }).last().click()
    await dialog(page).getByRole('button', { name: 'Discard and leave' }).waitFor()
  },
}

/** The first visit of someone whose account is empty, up to the suggestions of the first result. */
export async function openFirstVisit(context: BrowserContext, { api }: WebScene): Promise<Page> {
  const owner = await api.newAccount()
  const page = await context.newPage()
  await page.goto(`${api.url}/login`)
  await page.getByLabel('Email').fill(await giveTestPassword(api, owner.userId))
  await page.getByLabel('Password').fill(testPassword)
  await button(page, 'Sign in').click()
  await page.getByLabel('URL').fill('https://shop.example.com')
  const created = page.waitForResponse((response) => response.url().endsWith('/v1/checks/api'))
  await button(page, 'Watch it').click()
  const { id } = await (await created).json()
  const result = {
    accountId: owner.accountId,
    checkId: id,
    checkType: 'API' as const,
    scheduledAt: Date.now(),
  }
  await insertResults(api.store, [{ ...result, ...runOf(240, false) }])
  await page.locator('.verdict').first().waitFor()
  await page.getByRole('button', { name: /Add/ }).first().waitFor()
  return page
}
