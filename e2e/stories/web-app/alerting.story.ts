// Who is notified, and when: channels with test messages, settings with a backtest, the history, and maintenance. By the app alone, with
// a real mail server and a real receiver of webhooks.
import { createUrlMonitor } from '@vedette/contracts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../browser.ts'
import { MailServer } from '../../receivers/mail-server.ts'
import { Webhook } from '../../receivers/webhook.ts'
import { onDemandOnly, Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

const hookSecret = 'signing-secret'

describe('alerting in the web app', { timeout: 180_000 }, () => {
  const scene = new Scene()
  let mail: MailServer
  let webhook: Webhook
  let site: Site
  let browser: Browser
  let page: Page
  let checkId: string

  beforeAll(async () => {
    mail = await MailServer.open()
    webhook = await Webhook.open({ secrets: { '/hook': hookSecret } })
    site = await Site.open()
    await scene.open(mail.settings)
    browser = await openBrowser()
    page = await (await browser.newContext({ timezoneId: 'Europe/Berlin' })).newPage()
    const root = () => fetch(scene.account.baseUrl, { headers: { accept: 'text/html' } })
    await until('the app', async () => (await (await root()).text()).includes('vedette-build'), 60_000)
    const check = await scene.account.call(createUrlMonitor, {
      query: { autoAssignAlerts: false },
      body: {
        ...{ name: 'Shop', ...onDemandOnly, doubleCheck: false, locations: ['eu-central-1'], tags: ['web'] },
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
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create the owner' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    await site?.shut()
    await mail?.shut()
    await webhook?.receiver.shut()
    await scene.close()
  })

  const open = (path: string) => page.goto(scene.account.baseUrl + path)
  const sidePanel = () => page.getByRole('complementary', { name: 'Test and preview' })

  it('sends a test message before the channel is saved, and says what the receiver responded', async () => {
    await open('/alerts/channels')
    await page.getByText('Nobody is notified yet').waitFor()
    await page.getByRole('link', { name: /^Webhook/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('Pager')
    await page.getByLabel('URL').fill(webhook.receiver.url('/hook'))
    await page.getByLabel('Template').fill('{"title": "{{ALERT_TITLE}}"}')
    await page.getByLabel('Signing secret').fill('not the secret')
    await sidePanel().getByText('Check \\"Example check\\" has failed').waitFor()
    const send = sidePanel().getByRole('button', { name: 'Send test message' })
    await send.click()
    await sidePanel().getByText('Not delivered').waitFor()
    await page.getByLabel('Signing secret').fill(hookSecret)
    await send.click()
    await sidePanel().getByText('Delivered', { exact: true }).waitFor()
    expect(webhook.to('/hook').map(({ body }) => body)).toEqual([
      { title: '[Test] Check "Example check" has failed' },
    ])
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByRole('heading', { name: 'Pager' }).waitFor()
    // The secrets aren't shown again, and still sign the test message of the stored channel.
    expect(await page.getByLabel('Signing secret', { exact: true }).inputValue()).toBe('')
    await send.click()
    await sidePanel().getByText('Delivered', { exact: true }).waitFor()
    await until('the signed message', () => webhook.to('/hook').length === 2)
  })

  it('subscribes a check to the channel', async () => {
    await page.getByRole('button', { name: 'Add check or group' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a check or a group' })
    await dialog.getByRole('combobox').fill('sho')
    await dialog.getByRole('option', { name: /Shop/ }).click()
    await page.getByRole('row').filter({ hasText: 'Shop' }).getByText('On', { exact: true }).waitFor()
  })

  it('shows the channel and its check as code, without secrets', async () => {
    await page.getByRole('button', { name: 'View as code' }).click()
    const dialog = page.getByRole('dialog', { name: 'As code' })
    const channel = await dialog.getByRole('region', { name: 'Terraform' }).locator('pre').innerText()
    expect(channel).toContain('resource "checkly_alert_channel" "pager" {')
    expect(channel).toContain('webhook_secret = var.pager_webhook_secret')
    expect(channel).not.toContain(hookSecret)
    const construct = dialog.getByRole('region', { name: 'TypeScript construct' }).locator('pre')
    expect(await construct.innerText()).toContain(
      "export const pagerChannel = new WebhookAlertChannel('pager', {",
    )
    expect(await construct.innerText()).toContain('webhookSecret: process.env.PAGER_WEBHOOKSECRET')
    expect(await construct.innerText()).not.toContain(hookSecret)
    await open(`/checks/${checkId}?tab=code`)
    const check = await page.getByRole('region', { name: 'Terraform' }).locator('pre').innerText()
    expect(check).toContain('resource "checkly_url_monitor" "shop" {')
    expect(check).toMatch(/channel_id = \d+/)
    const monitor = page.getByRole('region', { name: 'TypeScript construct' }).locator('pre')
    expect(await monitor.innerText()).toContain("export const shopCheck = new UrlMonitor('shop', {")
    expect(await monitor.innerText()).toMatch(/alertChannels: \[AlertChannel\.fromId\(\d+\)\]/)
  })

  it('sends a test message to a real mail server', async () => {
    await open('/alerts/channels/new?type=EMAIL')
    await page.getByLabel('Addresses').fill('oncall@example.com')
    await sidePanel().getByRole('button', { name: 'Send test message' }).click()
    await sidePanel().getByText('Delivered', { exact: true }).waitFor()
    expect(mail.to('oncall@example.com').map(({ subject }) => subject)).toEqual([
      '[Test] Check "Example check" has failed',
    ])
    await page.getByRole('button', { name: 'Create channel' }).click()
    await page.getByRole('heading', { name: 'oncall@example.com' }).waitFor()
  })

  it('shows a failure in the history, with its delivery, without a reload', async () => {
    await open('/alerts')
    await page.getByText(/No alerts since/).waitFor()
    site.on('/shop', { status: 503 })
    await scene.account.run(checkId)
    const alerts = page.getByRole('list', { name: 'Alerts' })
    const entry = alerts.getByRole('listitem').filter({ hasText: 'Shop' })
    await entry.getByText('Failing').waitFor({ timeout: 60_000 })
    await entry.getByText('Delivered').waitFor({ timeout: 60_000 })
    expect(webhook.to('/hook')).toHaveLength(3)
    await entry.getByRole('link', { name: 'Pager' }).waitFor()
    await page.getByLabel('Delivery').selectOption({ label: 'Failed' })
    await page.getByText('Nothing matches').waitFor()
    expect(page.url()).toContain('status=FAILURE')
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await entry.getByRole('link', { name: /^Result/ }).click()
    await page.getByText(/expected status 200, got 503/).waitFor()
  })

  it('says what other settings would have sent, before they are saved', async () => {
    site.on('/shop', { status: 200 })
    await scene.account.run(checkId)
    await open('/alerts/settings')
    const backtest = page.getByRole('region', { name: 'Backtest' })
    await backtest.getByText('2 messages in this range, for 1 check.').waitFor()
    await page.getByLabel('How many').selectOption({ label: '3 failed runs in a row' })
    await backtest
      .getByText('0 messages in this range, for 1 check: 2 fewer than with today’s settings.')
      .waitFor()
    await backtest.getByRole('button', { name: 'Show messages of Shop' }).click()
    await backtest.getByText('It hasn’t failed often or long enough yet.').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The alert settings were saved.').waitFor()
    await backtest.getByText('0 messages in this range, for 1 check.').waitFor()
  })

  it('puts a check into maintenance', async () => {
    await open('/maintenance')
    await page.getByText('No maintenance is planned').waitFor()
    await page.getByRole('link', { name: 'Plan maintenance' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Database upgrade')
    // Wall-clock time of the browser's zone, which the form begins with.
    await page.getByLabel('Begins').fill(berlin(Date.now() - 3_600_000))
    await page.getByLabel('Ends').fill(berlin(Date.now() + 3_600_000))
    await page.getByLabel('Pause checks with one of these tags').fill('web')
    await page.getByLabel('Pause checks with one of these tags').press('Enter')
    const effect = page.getByRole('complementary', { name: 'Effect' })
    await effect.getByText('Paused: 1 check').waitFor()
    await effect.getByRole('link', { name: 'Shop' }).waitFor()
    await effect.getByText('Open now').waitFor()
    await page.getByRole('button', { name: 'Plan maintenance' }).click()
    await page
      .getByRole('region', { name: 'Open now' })
      .getByText('Database upgrade', { exact: true })
      .waitFor()
    await page.getByRole('link', { name: 'Checks in maintenance' }).click()
    await page
      .getByRole('row')
      .filter({ hasText: 'Shop' })
      .getByText('Maintenance')
      .waitFor({ timeout: 60_000 })
  })

  it('says which checks would notify nobody before a channel is deleted', async () => {
    await open('/alerts/channels')
    await page.getByRole('link', { name: 'Pager' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('One check would notify nobody any more:').waitFor()
    await dialog.getByText('Shop').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The channel was deleted.').waitFor()
    await page.getByRole('link', { name: 'Pager' }).waitFor({ state: 'detached' })
  })

  it('received only correct messages', () => {
    expect(mail.faults).toEqual([])
    // The first test message was signed with a wrong secret.
    expect(webhook.receiver.faults).toHaveLength(1)
  })
})

/** For a field of the type datetime-local. */
function berlin(instant: number): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' },
  }).format(instant)
  return text.replace(' ', 'T')
}
