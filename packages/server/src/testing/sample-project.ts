// A project as clients deploy it, with resources of all types that refer to each other.
import { randomUUID } from 'node:crypto'
import type { Caller } from './api.ts'

export interface SampleResource {
  type: string
  logicalId: string
  member?: boolean
  physicalId?: string | number
  payload: Record<string, unknown> | null
  sourceFile?: string
}

export const member = (
  type: string,
  logicalId: string,
  payload: Record<string, unknown>,
): SampleResource => ({
  type,
  logicalId,
  member: true,
  payload,
  sourceFile: `__checks__/${logicalId}.check.ts`,
})

export const urlCheck = (logicalId: string, fields: Record<string, unknown> = {}): SampleResource =>
  member('check', logicalId, {
    name: logicalId,
    groupId: null,
    doubleCheck: false,
    useGlobalAlertSettings: true,
    runParallel: false,
    locations: ['eu-west-1'],
    checkType: 'URL',
    request: { url: 'https://example.com/', method: 'GET' },
    ...fields,
  })

/** Names of pages are unique over all accounts. */
export function sampleProject(logicalId = `sample-${randomUUID().slice(0, 8)}`) {
  const slug = logicalId.toLowerCase().replace(/[^a-z0-9-]/g, '-')
  const resources: SampleResource[] = [
    member('status-page-service', 'svc', { name: 'API' }),
    member('status-page', 'page', {
      name: 'Status',
      url: `${slug}-v2`,
      defaultTheme: 'AUTO',
      cards: [{ name: 'Core', services: [{ ref: 'svc' }] }],
    }),
    member('status-page', 'page-v3', { name: 'Status', url: `${slug}-v3`, defaultTheme: 'DARK', version: 3 }),
    // Before its group: clients don't sort them.
    member('status-page-component', 'inside', {
      statusPageId: { ref: 'page-v3' },
      parentId: { ref: 'outside' },
      type: 'SERVICE',
      name: 'Shop',
      displayOrder: 1,
      configuration: { showHistoricalData: true },
    }),
    member('status-page-component', 'outside', {
      statusPageId: { ref: 'page-v3' },
      parentId: null,
      type: 'GROUP',
      name: 'All',
      displayOrder: 0,
      configuration: { expandedByDefault: true },
    }),
    member('status-page-automation-rule', 'rule', {
      statusPageId: { ref: 'page-v3' },
      name: 'Rule',
      enabled: true,
      firstUpdate: 'We look',
      lastUpdate: 'Done',
      notifySubscribers: true,
      tags: ['prod'],
      coolDownWindowMinutes: 5,
      components: [{ componentId: { ref: 'inside' }, targetImpact: 'MAJOR_OUTAGE' }],
    }),
    member('check-group', 'group', {
      name: 'Group',
      tags: ['prod'],
      locations: ['eu-west-1'],
      apiCheckDefaults: {
        headers: [],
        queryParameters: [],
        url: '',
        basicAuth: { username: '', password: '' },
      },
      environmentVariables: [{ key: 'TOKEN', value: 'a group secret', secret: true }],
      useGlobalAlertSettings: true,
      v: 2,
    }),
    member('check', 'api', {
      name: 'API',
      activated: true,
      muted: false,
      locations: ['eu-west-1'],
      tags: ['api'],
      frequency: 0,
      frequencyOffset: 10,
      groupId: { ref: 'group' },
      retryStrategy: { type: 'FIXED', baseBackoffSeconds: 30, maxRetries: 2, onlyOn: 'NETWORK_ERROR' },
      useGlobalAlertSettings: true,
      runParallel: true,
      triggerIncident: {
        severity: 'MAJOR',
        name: 'API down',
        description: 'auto',
        notifySubscribers: true,
        serviceId: { ref: 'svc' },
      },
      checkType: 'API',
      request: {
        url: 'https://example.com/api',
        method: 'POST',
        headers: [{ key: 'authorization', value: 'a header secret', locked: true }],
        basicAuth: { username: 'u', password: 'a password' },
      },
      environmentVariables: [{ key: 'A', value: 'a check secret', secret: true }],
      intent: { goal: 'The API works', constraints: [{ type: 'REQUIRED_OUTCOME', statement: '200' }] },
      localSetupScript: "import { helper } from './lib/helper'\nrequest.headers.x = String(helper())",
      setupScriptPath: '__checks__/setup.ts',
      setupScriptDependencies: [0],
    }),
    member('check', 'browser', {
      name: 'Browser',
      locations: ['eu-west-1'],
      frequency: 10,
      groupId: null,
      useGlobalAlertSettings: true,
      runParallel: false,
      environmentVariables: [],
      checkType: 'BROWSER',
      script: "import { test } from '@playwright/test'\ntest('x', async () => {})",
      scriptPath: '__checks__/browser.spec.ts',
      dependencies: [0, 1],
      playwrightConfig: { timeout: 10_000, use: { viewport: { width: 800, height: 600 } } },
      aiAutoRepairEnabled: true,
      snapshots: [],
    }),
    member('check', 'beat', {
      name: 'Heartbeat',
      groupId: null,
      useGlobalAlertSettings: true,
      checkType: 'HEARTBEAT',
      heartbeat: { period: 30, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes' },
    }),
    urlCheck('url'),
    member('alert-channel', 'mail', {
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: true,
      sslExpiry: true,
      sslExpiryThreshold: 30,
      type: 'EMAIL',
      config: { address: 'a@example.com' },
    }),
    member('alert-channel', 'hook', {
      type: 'WEBHOOK',
      config: {
        name: 'hook',
        url: 'https://example.com/hook',
        method: 'POST',
        webhookSecret: 'a hook secret',
      },
    }),
    member('alert-channel-subscription', 'check-alert-channel-subscription#url#mail', {
      alertChannelId: { ref: 'mail' },
      checkId: { ref: 'url' },
      activated: true,
    }),
    member('alert-channel-subscription', 'check-group-alert-channel-subscription#group#hook', {
      alertChannelId: { ref: 'hook' },
      groupId: { ref: 'group' },
      activated: true,
    }),
    member('maintenance-window', 'window', {
      name: 'Window',
      tags: ['prod'],
      startsAt: '2030-01-01T00:00:00.000Z',
      endsAt: '2030-01-01T01:00:00.000Z',
      repeatInterval: 1,
      repeatUnit: 'WEEK',
    }),
    member('private-location', 'office', { name: 'Office', slugName: slug.slice(0, 30), icon: 'home' }),
    member('private-location-check-assignment', 'private-location-check-assignment#url#office', {
      privateLocationId: { ref: 'office' },
      checkId: { ref: 'url' },
    }),
    member('private-location-group-assignment', 'private-location-group-assignment#group#office', {
      privateLocationId: { ref: 'office' },
      groupId: { ref: 'group' },
    }),
    member('dashboard', 'dash', { tags: ['prod'], customUrl: `${slug}-dash`, header: 'Dash', width: 'FULL' }),
  ]
  return {
    project: { logicalId, name: 'Sample' },
    sharedFiles: [
      { path: '__checks__/lib/helper.ts', content: 'export const helper = () => 42\n' },
      { path: '__checks__/lib/other.ts', content: 'export const other = 1\n' },
    ],
    resources,
    repoInfo: { commitId: '3457ca98', repoUrl: 'https://example.com/shop', branchName: 'main' },
  }
}

export type SampleProject = Omit<ReturnType<typeof sampleProject>, 'repoInfo'> & {
  repoInfo?: Record<string, unknown> | null
}

/** Deploys and waits for the end. */
export async function deploy(caller: Caller, project: SampleProject, query = 'scheduleOnDeploy=false') {
  const accepted = await caller.post(`/v1/projects/deploy?dryRun=false&${query}`, project)
  if (accepted.status !== 202) throw new Error(`${accepted.status}: ${accepted.text}`)
  return awaitDeployment(caller, project.project.logicalId, accepted.body.id)
}

export async function awaitDeployment(caller: Caller, logicalId: string, id: string) {
  const path = `/v1/projects/${encodeURIComponent(logicalId)}/deployments/${id}/completion?maxWaitSeconds=30`
  const { status, body } = await caller.get(path)
  if (status !== 200) throw new Error(`The deployment isn't over: ${status}`)
  return body
}
