// A project with every construct of the tool.

const config = (logicalId: string) => `import { defineConfig } from 'checkly'

export default defineConfig({
  projectName: 'Every construct',
  logicalId: '${logicalId}',
  repoUrl: 'https://example.com/shop/monitoring',
  checks: {
    activated: true,
    frequency: 10,
    locations: ['eu-west-1'],
    tags: ['as-code'],
    runtimeId: '2025.04',
    checkMatch: '**/__checks__/**/*.check.ts',
    browserChecks: { testMatch: '**/__checks__/**/*.spec.ts' },
  },
})
`

const checks = (target: string) => `import {
  AgenticCheck, AlertEscalationBuilder, ApiCheck, AssertionBuilder, BrowserCheck, CheckGroupV1, CheckGroupV2,
  DnsMonitor, Frequency, HeartbeatMonitor, IcmpMonitor, MultiStepCheck, PlaywrightCheck, PrivateLocation,
  RetryStrategyBuilder, StatusPageService, TcpMonitor, UrlAssertionBuilder, UrlMonitor,
} from 'checkly/constructs'
import { email } from './channels.check'

export const service = new StatusPageService('service', { name: 'Shop' })
export const office = new PrivateLocation('office', { name: 'Office', slugName: 'as-code-office' })
export const group = new CheckGroupV2('group', {
  name: 'Group', tags: ['group'], locations: ['eu-west-1'], alertChannels: [email], privateLocations: [office],
})
export const oldGroup = new CheckGroupV1('old-group', {
  name: 'Old group', tags: ['old'], locations: ['eu-west-1'], concurrency: 3, runParallel: true,
  environmentVariables: [{ key: 'GROUP', value: 'value', locked: true }],
  apiCheckDefaults: { url: '${target}', headers: [{ key: 'x-group', value: 'yes' }] },
  retryStrategy: RetryStrategyBuilder.linearStrategy({ baseBackoffSeconds: 10, maxRetries: 1 }),
})
new ApiCheck('api', {
  name: 'API', group, alertChannels: [email], tags: ['api'], runParallel: true,
  frequency: Frequency.EVERY_30S, degradedResponseTime: 1000, maxResponseTime: 5000,
  environmentVariables: [{ key: 'TOKEN', value: 'not to be shown', secret: true }],
  request: {
    method: 'POST', url: '${target}/api', body: '{"a":1}', bodyType: 'JSON',
    headers: [{ key: 'x-token', value: '{{TOKEN}}', locked: true }],
    basicAuth: { username: 'user', password: 'pass' },
    assertions: [AssertionBuilder.statusCode().equals(200), AssertionBuilder.jsonBody('$.a').equals(1)],
  },
  setupScript: { entrypoint: './setup.ts' },
  tearDownScript: { content: "console.log('done')" },
  retryStrategy: RetryStrategyBuilder.fixedStrategy({ baseBackoffSeconds: 1, maxRetries: 1, onlyOn: 'NETWORK_ERROR' }),
  alertEscalationPolicy: AlertEscalationBuilder.runBasedEscalation(2),
  triggerIncident: { service, name: 'API down', description: 'It fails', severity: 'MAJOR', notifySubscribers: true },
})
new BrowserCheck('browser', {
  name: 'Browser', code: { entrypoint: './home.browser.ts' }, sslCheckDomain: 'example.com',
  playwrightConfig: { timeout: 10000, use: { viewport: { width: 800, height: 600 } } },
})
new MultiStepCheck('multi-step', { name: 'Multi step', code: { entrypoint: './orders.multi.ts' } })
new PlaywrightCheck('suite', {
  name: 'Suite', playwrightConfigPath: '../suite/playwright.config.ts', pwProjects: ['chromium'],
  installCommand: 'npm ci', group,
})
new AgenticCheck('agentic', { name: 'Agentic', prompt: 'Open ${target} and verify the title' })
new HeartbeatMonitor('heartbeat', { name: 'Heartbeat', period: 30, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes' })
new UrlMonitor('url', {
  name: 'URL', group: oldGroup, privateLocations: [office], alertChannels: [email],
  request: { url: '${target}', assertions: [UrlAssertionBuilder.statusCode().equals(200)] },
})
new TcpMonitor('tcp', { name: 'TCP', request: { hostname: '127.0.0.1', port: 9 } })
new DnsMonitor('dns', { name: 'DNS', request: { recordType: 'A', query: 'example.com' } })
new IcmpMonitor('icmp', { name: 'ICMP', request: { hostname: '127.0.0.1', pingCount: 3 } })
`

const moreChecks = `import { GrpcMonitor, SslMonitor, TracerouteMonitor } from 'checkly/constructs'

new GrpcMonitor('grpc', {
  name: 'gRPC', request: { url: '127.0.0.1', port: 50051, grpcConfig: { mode: 'HEALTH', service: 'shop' } },
})
new SslMonitor('ssl', { name: 'SSL', request: { hostname: 'example.com', sslConfig: { serverName: 'example.com' } } })
new TracerouteMonitor('traceroute', { name: 'Traceroute', request: { url: '127.0.0.1', protocol: 'TCP', port: 443 } })
`

/** Since release 9. */
const newPages = `import { StatusPageV3, StatusPageV3AutomationRule, StatusPageV3Component } from 'checkly/constructs'

const page = new StatusPageV3('page-v3', { name: 'Status 3', url: 'as-code-v3', defaultTheme: 'DARK', footerText: 'foot' })
const parent = new StatusPageV3Component('parent', {
  statusPage: page, type: 'GROUP', name: 'All', displayOrder: 0, expandedByDefault: true,
})
const child = new StatusPageV3Component('child', {
  statusPage: page, type: 'SERVICE', name: 'Checkout', displayOrder: 1, parent, showHistoricalData: true,
})
new StatusPageV3AutomationRule('rule', {
  statusPage: page, name: 'Rule', enabled: true, firstUpdate: 'We look', lastUpdate: 'Done', tags: ['as-code'],
  notifySubscribers: true, coolDownMinutes: 5, components: [{ component: child, targetImpact: 'MAJOR_OUTAGE' }],
})
`

const channels = (target: string) => `import {
  EmailAlertChannel, IncidentioAlertChannel, MSTeamsAlertChannel, OpsgenieAlertChannel, PagerdutyAlertChannel,
  PhoneCallAlertChannel, SlackAlertChannel, SlackAppAlertChannel, SmsAlertChannel, TelegramAlertChannel, WebhookAlertChannel,
} from 'checkly/constructs'

export const email = new EmailAlertChannel('email', { address: 'ops@example.com', sendDegraded: true })
new SlackAlertChannel('slack', { url: 'https://example.com/slack', channel: '#ops' })
new SlackAppAlertChannel('slack-app', { slackChannels: ['#ops'] })
new SmsAlertChannel('sms', { phoneNumber: '+15550100', name: 'SMS' })
new PhoneCallAlertChannel('call', { phoneNumber: '+15550101', name: 'Call' })
new OpsgenieAlertChannel('opsgenie', { name: 'Opsgenie', apiKey: 'key', region: 'EU', priority: 'P1' })
new PagerdutyAlertChannel('pagerduty', { account: 'account', serviceName: 'service', serviceKey: 'key' })
new WebhookAlertChannel('webhook', { name: 'Hook', method: 'POST', url: '${target}/hook', webhookSecret: 'secret' })
new IncidentioAlertChannel('incidentio', { name: 'incident.io', url: 'https://example.com/incident', apiKey: 'key' })
new MSTeamsAlertChannel('teams', { name: 'Teams', url: 'https://example.com/teams' })
new TelegramAlertChannel('telegram', { name: 'Telegram', chatId: '123', apiKey: 'key' })
`

const pages = `import { Dashboard, MaintenanceWindow, StatusPage } from 'checkly/constructs'
import { service } from './checks.check'

new StatusPage('page', { name: 'Status', url: 'as-code-v2', cards: [{ name: 'Core', services: [service] }] })
new Dashboard('dashboard', { header: 'Dashboard', customUrl: 'as-code-dashboard', tags: ['as-code'] })
new MaintenanceWindow('window', {
  name: 'Window', tags: ['maintenance'], startsAt: new Date('2030-01-01T00:00:00Z'), endsAt: new Date('2030-01-01T01:00:00Z'),
  repeatInterval: 1, repeatUnit: 'WEEK', repeatEndsAt: new Date('2030-12-31T00:00:00Z'),
})
`

export const removable = `import { UrlMonitor } from 'checkly/constructs'

new UrlMonitor('removable', { name: 'Removable', request: { url: 'https://example.com/' } })
`

/** `target`: what checks call. */
export function everyConstruct(
  logicalId: string,
  { target, major }: { target: string; major: number },
): Record<string, string> {
  return {
    'package.json': JSON.stringify({ name: 'monitoring', version: '1.0.0', private: true }),
    'package-lock.json': JSON.stringify({
      name: 'monitoring',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: { '': { name: 'monitoring', version: '1.0.0' } },
    }),
    'checkly.config.ts': config(logicalId),
    '__checks__/checks.check.ts': checks(target),
    '__checks__/channels.check.ts': channels(target),
    '__checks__/pages.check.ts': pages,
    '__checks__/removable.check.ts': removable,
    '__checks__/setup.ts':
      "import { helper } from './lib/helper'\nrequest.headers['x-setup'] = String(helper())\n",
    '__checks__/lib/helper.ts': 'export const helper = () => 42\n',
    '__checks__/home.browser.ts':
      "import { test } from '@playwright/test'\nimport { helper } from './lib/helper'\n" +
      `test('home', async ({ page }) => { await page.goto('${target}'); helper() })\n`,
    '__checks__/orders.multi.ts':
      "import { test } from '@playwright/test'\n" +
      `test('orders', async ({ request }) => { await request.get('${target}') })\n`,
    '__checks__/found.spec.ts':
      "import { test } from '@playwright/test'\ntest('found', async ({ page }) => { await page.goto('about:blank') })\n",
    'suite/playwright.config.ts':
      "export default { testDir: './tests', projects: [{ name: 'chromium', use: {} }] }\n",
    'suite/tests/shop.spec.ts': "import { test } from '@playwright/test'\ntest('shop', async () => {})\n",
    '__checks__/more.check.ts': moreChecks,
    ...(major >= 9 && { '__checks__/new-pages.check.ts': newPages }),
  }
}
