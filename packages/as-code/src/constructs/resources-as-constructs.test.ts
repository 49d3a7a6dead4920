import { describe, expect, it } from 'vitest'
import { type AccountResources, noResources } from '../account-resources.ts'
import { exportAccount } from '../export-account.ts'
import { pageAsConstructs, resourcesAsConstructs } from './resources-as-constructs.ts'

const created_at = '2026-11-15T08:00:00.000Z'

function accountWith(resources: Record<string, unknown[]>): AccountResources {
  // As the API reads them, without the fields that don't matter here.
  return { ...noResources, ...resources } as AccountResources
}

const shown = (resources: Record<string, unknown[]>) => resourcesAsConstructs(accountWith(resources))

function exported(resources: Record<string, unknown[]>): string[] {
  const { files } = exportAccount(accountWith(resources), 'constructs') ?? { files: [] }
  return files.filter(({ path }) => path.startsWith('resources/')).map(({ text }) => text)
}

const monitor = {
  ...{ id: 'c1', checkType: 'URL', name: "Anna's shop", frequency: 5, tags: ['web'], groupId: null },
  ...{ locations: ['eu-central-1'], privateLocations: [], state: 'passing', created_at },
  request: { method: 'GET', url: 'https://example.com', followRedirects: true },
}
const browser = {
  ...{ id: 'c2', checkType: 'BROWSER', name: 'Sign in', doubleCheck: true },
  script: 'log(`a`)\n',
}
const service = { id: 's1', name: 'Checkout API', accountId: 'a', created_at }
const component = {
  ...{ id: 'k1', statusPageId: 'p1', parentId: null, type: 'GROUP', name: 'Shop', description: null },
  ...{ hidden: false, displayOrder: 0, configuration: { expandedByDefault: true }, serviceId: null },
}
const page = {
  ...{ id: 'p1', name: 'Status', url: 'status', version: 3, isPrivate: false, cards: [] },
  components: [component, { ...component, id: 'k2', parentId: 'k1', type: 'SERVICE' }],
  keys: [{ id: 'k', rawKey: 'hidden' }],
}

describe('a resource that refers to no other is what an export has', () => {
  it.each([
    ["new UrlMonitor('anna-s-shop', {", { checks: [monitor] }],
    ["new CheckGroupV2('shop', {", { checkGroups: [{ id: 4, name: 'Shop', concurrency: 2 }] }],
    [
      "new SmsAlertChannel('ann', {\n  name: 'Ann',\n  phoneNumber: '+14155550100',\n})",
      { alertChannels: [{ id: 1, type: 'SMS', config: { name: 'Ann', number: '+14155550100' } }] },
    ],
    [
      'proxyUrl: process.env.OFFICE_PROXYURL',
      { privateLocations: [{ id: 'l', name: 'Office', slugName: 'office', proxyUrl: 'http://a:hidden@b' }] },
    ],
    [
      `startsAt: new Date('${created_at}')`,
      { maintenanceWindows: [{ id: 3, name: 'Release', startsAt: created_at }] },
    ],
    ["new Dashboard('shop', {", { dashboards: [{ id: 1, dashboardId: 'd', header: 'Shop' }] }],
    ["new StatusPageService('checkout-api', {", { services: [service] }],
    ['  parent: statusShopComponent,\n', { statusPages: [page] }],
  ])('%s', (part, resources) => {
    const text = shown(resources)
    expect([text]).toEqual(exported(resources))
    expect(text).toContain(part)
    expect(text).not.toContain('hidden')
  })
})

it('is a file with its imports, with what the user set and nothing else', () => {
  expect(shown({ checks: [monitor] })).toBe(`import { UrlMonitor } from 'checkly/constructs'

export const annaSShopCheck = new UrlMonitor('anna-s-shop', {
  name: 'Anna\\'s shop',
  tags: ['web'],
  frequency: 5,
  locations: ['eu-central-1'],
  request: { url: 'https://example.com' },
})
`)
})

it('names other resources by id', () => {
  const text = shown({
    checks: [
      {
        ...{ ...monitor, groupId: 12, privateLocations: ['office'] },
        triggerIncident: { serviceId: 's1', severity: 'MAJOR' },
        alertChannelSubscriptions: [
          { alertChannelId: 3, activated: true },
          { alertChannelId: 7, activated: false },
        ],
      },
    ],
  })
  for (const part of [
    'import {\n  AlertChannel,\n  AlertChannelSubscription,\n  CheckGroupV2,\n  StatusPageService,\n  UrlMonitor,\n}',
    'group: CheckGroupV2.fromId(12)',
    'alertChannels: [AlertChannel.fromId(3)]',
    // The command-line client finds private locations by their slugs.
    "privateLocations: ['office']",
    "service: StatusPageService.fromId('s1')",
    "new AlertChannelSubscription('check-anna-s-shop-alert-channel-7', {",
    'alertChannelId: AlertChannel.fromId(7).ref(),\n  checkId: annaSShopCheck.ref(),',
  ])
    expect(text).toContain(part)
})

it('names resources of the same file by their variables', () => {
  const group = { id: 12, name: 'Shop', alertChannelSubscriptions: [{ alertChannelId: 3, activated: true }] }
  const channel = { id: 3, type: 'EMAIL', config: { address: 'ops@example.com' } }
  const text = shown({
    ...{ checks: [{ ...monitor, groupId: 12 }], checkGroups: [group], alertChannels: [channel] },
  })
  expect(text).toContain('group: shopGroup')
  expect(text).toContain('alertChannels: [opsExampleComChannel]')
  expect(text).not.toContain('fromId')
})

describe('scripts', () => {
  it('are part of their checks', () => {
    expect(shown({ checks: [browser] })).toContain('  code: {\n    content: `log(\\`a\\`)\n`,\n  },')
  })

  it('lack the files that they import', () => {
    const dependencies = [{ path: 'lib/sign-in.ts', content: 'x' }]
    expect(shown({ checks: [{ ...browser, dependencies }] })).toMatch(
      /\n\n\/\/ Settings .*\n\/\/ check "Sign in": files of the script is \["lib\/sign-in.ts"\]\n$/,
    )
  })
})

it('has a comment for settings without a construct, of one line each', () => {
  const window = { id: 3, name: 'a\nprocess.exit()', startsAt: created_at, timezone: 'Europe/Berlin' }
  expect(shown({ maintenanceWindows: [window] })).toContain(
    '\n// maintenance window "a process.exit()": timezone is "Europe/Berlin"\n',
  )
})

it('tells checks of one name apart', () => {
  const text = shown({ checks: [monitor, { ...monitor, id: 'c9', frequency: 10 }] })
  expect(text).toContain("annaSShopCheck = new UrlMonitor('anna-s-shop'")
  expect(text).toContain("annaSShop2Check = new UrlMonitor('anna-s-shop-2'")
})

it('has suites, which an export leaves to their own project', () => {
  const suite = { id: 'c3', checkType: 'PLAYWRIGHT', name: 'Suite', testCommand: 'npx playwright test' }
  expect(shown({ checks: [suite] })).toContain("new PlaywrightCheck('suite', {")
  expect(exported({ checks: [suite] })).toEqual([])
})

it('shows a page of cards with their services', () => {
  const cards = [
    { name: 'Shop', services: [service] },
    { name: 'All', services: [service] },
  ]
  const [cardPage] = accountWith({
    statusPages: [{ ...page, version: 2, components: [], cards }],
  }).statusPages
  const text = cardPage === undefined ? '' : pageAsConstructs(cardPage)
  expect(text.split('new StatusPageService(')).toHaveLength(2)
  expect(text).toContain("{ name: 'All', services: [checkoutApiService] }")
})
