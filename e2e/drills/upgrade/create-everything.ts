// One of everything that an account can have, created over the API of the older release.
import { setTimeout as sleep } from 'node:timers/promises'
import { suiteBundle } from '../../archives/suite-bundle.ts'
import { onDemandOnly } from '../../scene.ts'
import { selfSigned } from '../../target/certificates.ts'
import { type Api, call } from '../load.ts'
import { secretToken, type Target } from './target.ts'

type Created = { id: string }

export interface Everything {
  /** By check type. */
  checks: Record<string, string>
  brokenCheck: string
  groups: string[]
  channels: string[]
  webhook: string
  snippet: string
  variables: string[]
  certificate: string
  privateLocation: string
  maintenanceWindow: string
  dashboard: string
  dashboardIncident: string
  service: string
  statusPage: string
  statusPageIncident: string
  statusPageIncidentUpdate: string
  checkSessions: string[]
  testSession: string
  rootCauseAnalysis: string
}

/** `canRunCode`: a runtime and a browser are installed, so the code checks run and leave artifacts. */
export async function createEverything(api: Api, target: Target, canRunCode: boolean): Promise<Everything> {
  const create = <T = Created>(path: string, body: unknown = {}) =>
    call(api, 'POST', path, body) as Promise<T>
  const idOf = async (path: string, body: unknown) => String((await create(path, body)).id)

  await create('/v1/variables', { key: 'SHOP_URL', value: target.url })
  await create('/v1/variables', { key: 'SHOP_TOKEN', value: secretToken, secret: true })
  await create('/v1/variables', { key: 'SHOP_PIN', value: '4711', locked: true })
  const snippet = await idOf('/v1/snippets', { name: 'mark', script: "request.headers['x-run'] = 'vedette'" })
  const certificate = await idOf('/v1/client-certificates', {
    host: '*.example.com',
    ...selfSigned({ hosts: ['client.example.com'] }),
  })
  const privateLocation = await idOf('/v1/private-locations', { name: 'Office', slugName: 'office' })
  const channels = await createChannels(idOf, target)
  const webhook = channels[0] as string
  const groups = [
    await idOf('/v1/check-groups', {
      name: 'Shop',
      tags: ['shop'],
      locations: ['eu-west-1'],
      concurrency: 2,
    }),
    await idOf('/v2/check-groups', {
      name: 'Orders',
      locations: ['eu-west-1'],
      environmentVariables: [{ key: 'GROUP_TOKEN', value: 'a token', secret: true }],
      apiCheckDefaults: { headers: [{ key: 'x-from', value: 'vedette' }] },
      alertChannelSubscriptions: [],
    }),
  ]
  const checks = await createChecks(idOf, api, target, Number(groups[1]), Number(snippet))
  const brokenCheck = await idOf('/v1/checks/url?autoAssignAlerts=false', {
    ...shared('Broken page'),
    groupId: Number(groups[0]),
    doubleCheck: false,
    request: { url: `${target.url}/broken` },
    alertChannelSubscriptions: [{ alertChannelId: Number(webhook), activated: true }],
  })
  await create(`/v1/triggers/checks/${checks.URL}`)
  await create(`/v1/triggers/check-groups/${groups[0]}`)
  await create('/v1/deployments', {
    environmentName: 'production',
    repository: 'example/shop',
    sha: '9b1f5a3e',
  })
  await create('/v1/service-api-keys', { name: 'deploys', role: 'READ_WRITE' })
  await create('/v1/users/me/api-keys', { name: 'laptop' })
  await create('/v1/accounts/me/prometheus-tokens')
  const pages = await createPages(create, idOf)

  const heartbeat = (await call(api, 'GET', `/v1/checks/${checks.HEARTBEAT}`)) as {
    heartbeat: { pingToken: string }
  }
  await create(`/ping/${heartbeat.heartbeat.pingToken}`)
  const codeTypes = ['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC']
  const runs = Object.entries(checks).filter(
    ([type]) => type !== 'HEARTBEAT' && (!codeTypes.includes(type) || (canRunCode && type !== 'AGENTIC')),
  )
  const checkSessions = await runChecks(api, [...runs.map(([, id]) => id), brokenCheck])
  const testSession = await runTestSession(api, [checks.URL as string, brokenCheck])
  return {
    checks,
    brokenCheck,
    groups,
    channels,
    webhook,
    snippet,
    variables: ['SHOP_URL', 'SHOP_TOKEN', 'SHOP_PIN'],
    certificate,
    privateLocation,
    maintenanceWindow: await idOf('/v1/maintenance-windows', {
      name: 'Weekly release',
      tags: ['release'],
      startsAt: '2040-11-20T08:00:00Z',
      endsAt: '2040-11-20T09:00:00Z',
      repeatInterval: 1,
      repeatUnit: 'WEEK',
      timezone: 'Europe/Berlin',
    }),
    ...pages,
    checkSessions,
    testSession,
    rootCauseAnalysis: await analyze(api, brokenCheck),
  }
}

function shared(name: string): object {
  return { name, ...onDemandOnly, locations: ['eu-west-1'], tags: ['shop', 'team:orders'] }
}

type IdOf = (path: string, body: unknown) => Promise<string>

async function createChannels(idOf: IdOf, { url }: Target): Promise<string[]> {
  const channels = [
    {
      type: 'WEBHOOK',
      config: {
        name: 'Hook',
        url: `${url}/webhook`,
        headers: [{ key: 'x-token', value: 'hidden', locked: true }],
        webhookSecret: 'signs the body',
        template: '{"title": "{{ALERT_TITLE}}"}',
      },
    },
    { type: 'EMAIL', config: { address: 'oncall@example.com' }, sendDegraded: true },
    { type: 'SLACK', config: { url: 'https://slack.example.com/hook', channel: '#ops' } },
    { type: 'SLACK_APP', config: { slackChannels: ['#ops'] } },
    { type: 'SMS', config: { name: 'Ada', number: '+41791234567' } },
    { type: 'CALL', config: { name: 'Ada', number: '+41791234567' } },
    { type: 'PAGERDUTY', config: { account: 'shop', serviceName: 'orders', serviceKey: 'a'.repeat(32) } },
    { type: 'OPSGENIE', config: { name: 'shop', apiKey: 'a key', region: 'EU', priority: 'P2' } },
  ]
  const ids: string[] = []
  for (const channel of channels) {
    ids.push(await idOf('/v1/alert-channels', { ...channel, autoSubscribe: false, subscriptions: [] }))
  }
  return ids
}

async function createChecks(
  idOf: IdOf,
  api: Api,
  target: Target,
  groupId: number,
  setupSnippetId: number,
): Promise<Record<string, string>> {
  const create = (path: string, body: object) => idOf(`/v1/checks/${path}?autoAssignAlerts=false`, body)
  const open = `await page.goto(process.env.SHOP_URL + '/')`
  return {
    API: await create('api', {
      ...shared('Orders API'),
      groupId,
      setupSnippetId,
      request: {
        method: 'GET',
        url: '{{SHOP_URL}}/orders',
        headers: [{ key: 'authorization', value: 'Bearer {{SHOP_TOKEN}}' }],
        assertions: [
          { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
          { source: 'JSON_BODY', property: '$.items.length', comparison: 'GREATER_THAN', target: '1' },
        ],
      },
      retryStrategy: { type: 'LINEAR', baseBackoffSeconds: 5, maxRetries: 1 },
    }),
    URL: await create('url', { ...shared('Home page'), request: { url: `${target.url}/` } }),
    TCP: await create('tcp', {
      ...shared('Port'),
      request: { hostname: '127.0.0.1', port: target.port },
    }),
    DNS: await create('dns', {
      ...shared('Name'),
      request: {
        query: 'shop.test',
        recordType: 'A',
        nameServer: '127.0.0.1',
        port: target.dnsPort,
        assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }],
      },
    }),
    ICMP: await create('icmp', { ...shared('Host'), request: { hostname: '127.0.0.1', pingCount: 2 } }),
    HEARTBEAT: await create('heartbeat', {
      name: 'Nightly backup',
      heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' },
    }),
    BROWSER: await create('browser', {
      ...shared('Home page in a browser'),
      keepEvidence: 'ALWAYS',
      environmentVariables: [{ key: 'PASSWORD', value: 'hunter2', secret: true }],
      script: `import { test, expect } from '@playwright/test'
test('home', async ({ page }) => { ${open}; await expect(page).toHaveTitle('Shop') })`,
    }),
    MULTI_STEP: await create('multistep', {
      ...shared('Home page by steps'),
      script: `import { test, expect } from '@playwright/test'
test('home', async ({ request }) => { expect((await request.get(process.env.SHOP_URL + '/')).ok()).toBe(true) })`,
    }),
    PLAYWRIGHT: await create('playwright', {
      ...shared('Suite'),
      codeBundlePath: await uploadSuite(api, open),
    }),
    AGENTIC: await create('agentic', {
      ...shared('In words'),
      prompt: `Open ${target.url} and check its title`,
    }),
  }
}

async function uploadSuite(api: Api, open: string): Promise<string> {
  const bundle = suiteBundle({
    'tests/home.spec.ts': `import { test, expect } from '@playwright/test'
test('home', async ({ page }) => { ${open}; await expect(page).toHaveTitle('Shop') })`,
  })
  const response = await fetch(`${api.url()}/v1/code-bundles`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.key}`,
      'x-service-account': api.accountId,
      'content-type': 'application/gzip',
    },
    body: new Uint8Array(bundle),
  })
  if (!response.ok) throw new Error(`POST /v1/code-bundles: ${response.status} ${await response.text()}`)
  return ((await response.json()) as { codeBundlePath: string }).codeBundlePath
}

async function createPages(
  create: <T = Created>(path: string, body?: unknown) => Promise<T>,
  idOf: IdOf,
): Promise<
  Pick<
    Everything,
    | 'dashboard'
    | 'dashboardIncident'
    | 'service'
    | 'statusPage'
    | 'statusPageIncident'
    | 'statusPageIncidentUpdate'
  >
> {
  const dashboard = await create<{ id: number; dashboardId: string }>('/v1/dashboards', {
    header: 'Shop',
    customUrl: 'upgrade-drill',
    tags: ['shop'],
    isPrivate: true,
  })
  await create(`/v1/dashboards/${dashboard.dashboardId}/keys`)
  const service = await idOf('/v1/status-pages/services', { name: 'Checkout' })
  const statusPage = await idOf('/v1/status-pages', {
    name: 'Shop',
    url: 'upgrade-drill',
    cards: [{ name: 'Storefront', services: [{ id: service }] }],
  })
  await create(`/v1/status-pages/${statusPage}/subscriptions/bulk`, {
    subscriptions: [{ type: 'EMAIL', config: 'ada@example.com' }],
  })
  const incident = await idOf('/v1/status-pages/incidents', {
    name: 'Checkout is slow',
    severity: 'MAJOR',
    services: [{ id: service }],
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We are investigating.' }],
  })
  return {
    dashboard: dashboard.dashboardId,
    dashboardIncident: await idOf('/v1/incidents', {
      name: 'Checkout is slow',
      impact: 'MAJOR',
      dashboardId: dashboard.id,
      incidentUpdates: [{ status: 'INVESTIGATING', description: 'We are investigating.' }],
    }),
    service,
    statusPage,
    statusPageIncident: incident,
    statusPageIncidentUpdate: await idOf(`/v1/status-pages/incidents/${incident}/incident-updates`, {
      status: 'MONITORING',
      description: 'It is fast again.',
    }),
  }
}

/** Runs each check once, and waits until all are done. Returns the sessions. */
export async function runChecks(api: Api, checkIds: string[]): Promise<string[]> {
  const { sessions } = (await call(api, 'POST', '/v1/check-sessions/trigger', {
    target: { checkId: checkIds },
  })) as { sessions: { checkSessionId: string }[] }
  const ids = sessions.map(({ checkSessionId }) => checkSessionId)
  for (const id of ids) await complete(api, `/v1/check-sessions/${id}/completion`)
  return ids
}

async function runTestSession(api: Api, checkIds: string[]): Promise<string> {
  const { testSessionId } = (await call(api, 'POST', '/v1/test-sessions/trigger', {
    name: 'Before the upgrade',
    runLocation: 'us-west-2',
    target: { checkId: checkIds },
    metadata: { environment: 'staging', branchName: 'main' },
  })) as { testSessionId: string }
  await complete(api, `/v1/test-sessions/${testSessionId}/completion`)
  return testSessionId
}

/** The route responds 408 while the session runs. */
async function complete(api: Api, path: string): Promise<void> {
  const giveUpAt = Date.now() + 10 * 60_000
  for (;;) {
    try {
      await call(api, 'GET', `${path}?maxWaitSeconds=30`)
      return
    } catch (error) {
      if (Date.now() > giveUpAt || !(error as Error).message.includes('status 408')) throw error
    }
  }
}

async function analyze(api: Api, checkId: string): Promise<string> {
  const [group] = (await call(api, 'GET', `/v1/error-groups/checks/${checkId}`)) as Created[]
  const { id } = (await call(api, 'POST', `/v1/root-cause-analyses/error-groups/${group?.id}`, {})) as Created
  for (;;) {
    const { status } = (await call(api, 'GET', `/v1/root-cause-analyses/${id}`)) as { status: string }
    if (status !== 'PENDING') return id
    await sleep(200)
  }
}
