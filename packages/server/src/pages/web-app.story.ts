// Every screen of the app in a real browser: accessible in both themes, without sideways scrolling, without a refusal of the content
// security policy. Pictures for the documentation: SCREENSHOTS=docs/images npm run stories -- web-app
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { chromiumPath } from '../testing/chromium.ts'
import { testPassword } from '../testing/sign-in.ts'
import { dialogs, openFirstVisit } from '../testing/web-dialogs.ts'
import { openWebScene, type WebScene } from '../testing/web-scene.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']
const folder = process.env.SCREENSHOTS === undefined ? null : resolve(process.env.SCREENSHOTS)

let scene: WebScene
let browser: Browser

beforeAll(async () => {
  if (folder !== null) mkdirSync(folder, { recursive: true })
  scene = await openWebScene()
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}, 120_000)
afterAll(async () => {
  await browser.close()
  await scene.close()
})

/** By name: the path, and what is there once the screen is complete. */
const screens: Record<string, (scene: WebScene) => [path: string, sign: string]> = {
  login: () => ['/login', 'text=Forgot your password?'],
  sso: () => ['/login/sso', 'text=Begin at the sign-in page'],
  setup: () => ['/setup#token', 'text=Create the owner'],
  reset: () => ['/reset', 'text=Send the link'],
  home: () => ['/', 'text=Needs attention'],
  checks: () => ['/checks', '.check-table .row a'],
  'checks-by-group': () => ['/checks?sort=group', 'text=Without a group'],
  check: ({ failing }) => [`/checks/${failing.checkId}`, '.u-legend'],
  'check-browser': ({ types }) => [`/checks/${types.BROWSER}`, '.test-list'],
  'check-multi-step': ({ types }) => [`/checks/${types.MULTI_STEP}`, '.test-list'],
  'check-playwright': ({ types }) => [`/checks/${types.PLAYWRIGHT}`, '.test-list'],
  'check-tcp': ({ types }) => [`/checks/${types.TCP}`, '.u-legend'],
  'check-dns': ({ types }) => [`/checks/${types.DNS}`, 'text=Records'],
  'check-icmp': ({ types }) => [`/checks/${types.ICMP}`, 'text=Packet loss'],
  'check-grpc': ({ types }) => [`/checks/${types.GRPC}`, '.u-legend'],
  'check-ssl': ({ types }) => [`/checks/${types.SSL}`, 'text=61 days left'],
  'check-traceroute': ({ types }) => [`/checks/${types.TRACEROUTE}`, 'text=Hops of the last run'],
  'check-agentic': ({ types }) => [`/checks/${types.AGENTIC}`, 'text=Script that runs repeat'],
  'check-heartbeat': ({ heartbeatId }) => [`/checks/${heartbeatId}`, '[role=tabpanel]'],
  results: ({ failing }) => [`/checks/${failing.checkId}?tab=results`, '.results'],
  errors: ({ failing }) => [`/checks/${failing.checkId}?tab=errors`, '[role=tabpanel]'],
  alerts: ({ failing }) => [`/checks/${failing.checkId}?tab=alerts`, '[role=tabpanel]'],
  coverage: ({ failing }) => [`/checks/${failing.checkId}?tab=coverage`, '[role=tabpanel]'],
  code: ({ failing }) => [`/checks/${failing.checkId}?tab=code`, 'text=TypeScript construct'],
  result: ({ failing }) => [
    `/checks/${failing.checkId}/results/${failing.resultId}`,
    'text=What changed since it last passed',
  ],
  'new-check': () => ['/checks/new', 'text=Traceroute'],
  'new-api-check': () => ['/checks/new?type=API', 'text=Alerting'],
  'new-browser-check': () => ['/checks/new?type=BROWSER', '.code-host'],
  ...Object.fromEntries(
    [
      'URL',
      'TCP',
      'DNS',
      'ICMP',
      'SSL',
      'GRPC',
      'TRACEROUTE',
      'MULTI_STEP',
      'PLAYWRIGHT',
      'AGENTIC',
      'HEARTBEAT',
    ].map((type) => [
      `new-${type.toLowerCase().replace('_', '-')}-check`,
      () => [`/checks/new?type=${type}`, 'text=Alerting'] as [string, string],
    ]),
  ),
  'edit-check': ({ failing }) => [`/checks/${failing.checkId}/edit`, 'text=Alerting'],
  'new-group': () => ['/groups/new', 'text=Alerting'],
  group: ({ groupId }) => [`/groups/${groupId}`, 'text=Storefront'],
  'group-settings': ({ groupId }) => [`/groups/${groupId}?tab=settings`, 'text=Alerting'],
  'group-code': ({ groupId }) => [`/groups/${groupId}?tab=code`, 'text=TypeScript construct'],
  sessions: () => ['/sessions', 'text=Before the release'],
  'check-session': ({ places }) => [`/sessions/${places.checkSessionId}`, 'text=Waiting or running'],
  'test-session': ({ places }) => [`/sessions/${places.testSessionId}`, 'text=Fix rounding'],
  'test-result': ({ places }) => [
    `/test-sessions/${places.testSessionId}/results/${places.testResultId}`,
    'text=Assertions',
  ],
  'alert-history': () => ['/alerts', '.entry .delivery'],
  'alert-deliveries': () => ['/alerts?view=deliveries', '.entry .delivery'],
  'alert-alarms': () => ['/alerts?view=alarms', 'text=It has no connected agent'],
  'alert-channels': () => ['/alerts/channels', 'text=oncall@example.com'],
  'new-channel': () => ['/alerts/channels/new', 'text=Opsgenie'],
  'new-webhook': () => ['/alerts/channels/new?type=WEBHOOK', 'text=Create channel'],
  channel: ({ alerts }) => [`/alerts/channels/${alerts.webhookId}`, 'text=Last deliveries'],
  'alert-settings': () => ['/alerts/settings', 'text=Time to the alert'],
  maintenance: () => ['/maintenance', '.calendar-entry'],
  'maintenance-list': () => ['/maintenance?view=list', '.window-list'],
  'maintenance-window': ({ alerts }) => [`/maintenance/${alerts.windowId}`, 'text=Next times'],
  locations: () => ['/locations', 'text=Office Bern'],
  'new-location': () => ['/locations/_new', 'text=Create'],
  location: () => ['/locations/office-bern', 'text=bern-1'],
  'data-center': () => ['/locations/eu-central-1', 'text=fra-1'],
  'edit-location': () => ['/locations/office-bern/edit', 'text=Save'],
  'status-pages': () => ['/status-pages', 'text=Acme shop'],
  'status-page-new': () => ['/status-pages/new', 'text=Services on it'],
  'status-page': ({ pages }) => [
    `/status-pages/${pages.statusPageId}`,
    '.preview-box iframe:not(.unseen-frame)',
  ],
  'status-page-look': ({ pages }) => [
    `/status-pages/${pages.statusPageId}?tab=look`,
    '.preview-box iframe:not(.unseen-frame)',
  ],
  'status-page-access': ({ pages }) => [
    `/status-pages/${pages.statusPageId}?tab=access`,
    '.preview-box iframe:not(.unseen-frame)',
  ],
  'status-page-domain': ({ pages }) => [`/status-pages/${pages.statusPageId}?tab=domain`, 'text=TXT'],
  'status-page-subscribers': ({ pages }) => [
    `/status-pages/${pages.statusPageId}?tab=subscribers`,
    'text=grace@example.com',
  ],
  'status-page-webhooks': ({ pages }) => [`/status-pages/${pages.statusPageId}?tab=webhooks`, 'text=Chat'],
  'status-page-rules': ({ pages }) => [
    `/status-pages/${pages.statusPageId}?tab=rules`,
    'text=The shop is down',
  ],
  'status-page-templates': ({ pages }) => [
    `/status-pages/${pages.statusPageId}?tab=templates`,
    'text=Checkout down',
  ],
  'status-page-badges': ({ pages }) => [`/status-pages/${pages.statusPageId}?tab=badges`, 'text=Markdown'],
  'status-page-code': ({ pages }) => [`/status-pages/${pages.statusPageId}?tab=code`, 'text=StatusPageV3'],
  services: () => ['/services', 'text=Orders API'],
  incidents: () => ['/incidents', 'text=Checkout is failing'],
  'dashboard-incidents': () => ['/incidents?tab=dashboards', 'text=Database upgrade'],
  'incident-new': () => ['/incidents/new', 'text=Affected services'],
  incident: ({ pages }) => [`/incidents/${pages.incidentId}`, 'text=Visitors see it on'],
  'incident-resolved': ({ pages }) => [`/incidents/${pages.resolvedId}`, 'text=Postmortem'],
  'dashboard-incident': ({ pages }) => [`/incidents/${pages.dashboardIncidentId}`, 'text=on the dashboard'],
  dashboards: () => ['/dashboards', 'text=Office wall'],
  dashboard: ({ pages }) => [`/dashboards/${pages.dashboardId}`, '.preview-box iframe:not(.unseen-frame)'],
  'dashboard-look': ({ pages }) => [
    `/dashboards/${pages.dashboardId}?tab=look`,
    '.preview-box iframe:not(.unseen-frame)',
  ],
  'dashboard-access': ({ pages }) => [`/dashboards/${pages.dashboardId}?tab=access`, 'text=Create key'],
  'dashboard-badges': ({ pages }) => [`/dashboards/${pages.dashboardId}?tab=badges`, 'text=Markdown'],
  'dashboard-code': ({ pages }) => [`/dashboards/${pages.dashboardId}?tab=code`, 'text=new Dashboard'],
  settings: () => ['/settings', 'text=Entitlements'],
  members: () => ['/settings/members', 'text=dan@acme.example'],
  'service-keys': () => ['/settings/api-keys', 'text=Terraform'],
  'audit-log': () => ['/settings/audit-log', '.audit-entry'],
  variables: () => ['/settings/variables', 'text=SHOP_PASSWORD'],
  variable: () => ['/settings/variables/SHOP_PASSWORD', 'text=A secret stays one.'],
  snippets: () => ['/settings/snippets', 'text=sign-request'],
  snippet: ({ settings }) => [`/settings/snippets/${settings.snippetId}`, 'text=View as code'],
  certificates: () => ['/settings/certificates', 'text=*.partner.example'],
  'new-certificate': () => ['/settings/certificates/new', 'text=Private key'],
  runtimes: () => ['/settings/runtimes', 'text=Default of this account'],
  triggers: () => ['/settings/triggers', 'text=Copy URL'],
  prometheus: () => ['/settings/prometheus', 'text=Revoke'],
  deployments: () => ['/settings/deployments', 'text=acme/shop'],
  'new-deployment': () => ['/settings/deployments/new', 'text=Commit or version'],
  'archived-errors': () => ['/settings/archived-errors', 'h1'],
  security: () => ['/settings/security', 'text=Authenticator app'],
  profile: () => ['/settings/profile', 'text=This browser'],
  invite: ({ settings }) => [`/invite#${settings.inviteToken}`, 'text=dan@acme.example'],
  'confirm-email': () => ['/email#token', 'text=Sign in first'],
  deleted: ({ settings }) => [`/checks/${settings.deletedCheckId}`, 'text=was deleted'],
  reports: () => ['/reports?period=24h', 'text=Storefront'],
  'not-found': () => ['/nothing/here', 'text=doesn’t exist'],
}
const withoutSession = ['login', 'sso', 'setup', 'reset', 'invite', 'confirm-email']

const views = [1440, 390].flatMap((width) => (['light', 'dark'] as const).map((theme) => ({ width, theme })))

describe.each(views)('at $width px, $theme', ({ width, theme }) => {
  const contexts: Record<string, BrowserContext> = {}
  const problems: string[] = []

  beforeAll(async () => {
    const options = { viewport: { width, height: 900 }, colorScheme: theme, bypassCSP: true }
    contexts.nobody = await browser.newContext(options)
    contexts.signedIn = await browser.newContext(options)
    const page = await contexts.signedIn.newPage()
    await page.goto(`${scene.api.url}/login`)
    await page.getByLabel('Email').fill(scene.email)
    await page.getByLabel('Password').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.close()
    return async () => {
      for (const context of Object.values(contexts)) await context.close()
    }
  }, 60_000)

  async function examine(page: Page, name: string, isFullPage: boolean): Promise<void> {
    // Nothing is loaded any more; the stream of events never ends.
    await page.locator('.progress.busy, .skeleton').first().waitFor({ state: 'detached' })
    await vi.waitUntil(
      () => page.evaluate('[...document.images].every((one) => one.complete || one.loading === "lazy")'),
      { timeout: 30_000 },
    )
    if (folder !== null) {
      if (isFullPage) {
        // Bars that stay at the edge of the window would cover something, and frames out of view aren't painted.
        const height = await page.evaluate<number>('document.documentElement.scrollHeight')
        await page.setViewportSize({ width, height })
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      }
      // Otherwise the bar at the top of the window is in the middle of the picture, over a control.
      await page.evaluate('scrollTo(0, 0)')
      const file = join(folder, `app-${name}-${width}-${theme}.png`)
      await page.screenshot({ path: file, animations: 'disabled', fullPage: isFullPage })
      await page.setViewportSize({ width, height: 900 })
    }
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    await page.evaluate(axe)
    // Only React Aria's live region: it refers to the control that was announced for seconds, also after that is gone.
    const around = { exclude: ['[data-live-announcer]'] }
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `axe.run(${JSON.stringify(around)}, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations)`,
    )
    expect(found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  }

  async function openPage(who: 'nobody' | 'signedIn'): Promise<Page> {
    const page = await contexts[who]?.newPage()
    if (page === undefined) throw new Error('There is no browser')
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => problems.push(String(error)))
    return page
  }

  it.each(Object.keys(screens))('%s is accessible and fits', { timeout: 60_000 }, async (name) => {
    const [path, sign] = screens[name]?.(scene) ?? ['/', 'h1']
    const page = await openPage(withoutSession.includes(name) ? 'nobody' : 'signedIn')
    await page.goto(scene.api.url + path)
    await page.locator(sign).first().waitFor()
    await examine(page, name, name !== 'checks')
  })

  it.each(Object.keys(dialogs))('the opened %s is accessible and fits', { timeout: 60_000 }, async (name) => {
    const page = await openPage('signedIn')
    await dialogs[name]?.(page, scene)
    await examine(page, `opened-${name}`, false)
  })

  it('the first visit is accessible and fits', { timeout: 60_000 }, async () => {
    const options = { viewport: { width, height: 900 }, colorScheme: theme, bypassCSP: true }
    const context = await browser.newContext(options)
    contexts.newcomer = context
    await examine(await openFirstVisit(context, scene), 'first-visit', true)
  })
})
