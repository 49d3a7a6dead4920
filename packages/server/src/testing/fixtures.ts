// One of every resource in an account, made through the API, and the path parameters that name them.
import type { AnyRoute } from '@vedette/contracts'
import { type CheckDefinition, checkTypes, fillPath } from '@vedette/contracts'
import { scheduledAtOf } from '../ingest/result-id.ts'
import { assetLink } from '../links/asset-link.ts'
import { runAnalyses } from '../rca/run-analyses.ts'
import { createAgenticScripts } from './agentic-scripts.ts'
import type { Caller, TestApi } from './api.ts'
import { createArtifact } from './artifacts.ts'
import { testCertificate, testPrivateKey } from './certificates.ts'
import { insertFailedResult } from './results.ts'
import { deploy, urlCheck } from './sample-project.ts'
import { createCheckSession, createTestSession } from './sessions.ts'
import { createSignIns } from './sign-in.ts'

export interface Fixtures {
  /** The path of a route with the ids of these resources in it. */
  pathOf(route: AnyRoute): string
  ids: Record<string, string | number>
}

export async function createFixtures(api: TestApi, owner: Caller): Promise<Fixtures> {
  const memberId = await api.addMember(owner.accountId, 'READ_ONLY')
  const make = async (path: string, body?: unknown) => {
    const response = await owner.post(path, body)
    if (response.status >= 300) throw new Error(`POST ${path}: ${response.status} ${response.text}`)
    return response.body
  }
  const snippet = await make('/v1/snippets', { name: 'shared', script: 'x' })
  const savedView = await make('/v1/saved-views', { name: 'Failing', query: 'state=failing' })
  await make('/v1/variables', { key: 'BASE_URL', value: 'https://example.com' })
  const certificate = await make('/v1/client-certificates', {
    host: '*.example.com',
    cert: testCertificate,
    key: testPrivateKey,
  })
  const location = await make('/v1/private-locations', { name: 'Office', slugName: 'office' })
  const channel = await make('/v1/alert-channels', { type: 'EMAIL', config: { address: 'a@example.com' } })
  const group = await make('/v1/check-groups', { name: 'Group' })
  const window = await make('/v1/maintenance-windows', {
    name: 'Upgrade',
    startsAt: '2030-01-01T00:00:00.000Z',
    endsAt: '2030-01-01T01:00:00.000Z',
  })
  const dashboard = await make('/v1/dashboards', { header: 'Status', isPrivate: true })
  const dashboardIncident = await make('/v1/incidents', {
    name: 'Down',
    impact: 'MAJOR',
    dashboardId: dashboard.id,
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'Looking' }],
  })
  const dashboardUpdate = await make(`/v1/incidents/${dashboardIncident.id}/updates`, {
    status: 'MONITORING',
    description: 'Better',
  })
  const service = await make('/v1/status-pages/services', { name: 'Shop' })
  const page = await make('/v1/status-pages', {
    name: 'Public',
    url: `page-${snippet.id}-${Date.now()}`,
    isPrivate: true,
    cards: [{ name: 'All', services: [{ id: service.id }] }],
  })
  // Another one: a test that replaces the cards of the first would remove its components.
  const tree = await make('/v1/status-pages', {
    name: 'Tree',
    url: `tree-${snippet.id}-${Date.now()}`,
    version: 3,
  })
  const componentGroup = await make(`/v1/status-pages/${tree.id}/components`, {
    type: 'GROUP',
    name: 'Group',
  })
  const component = await make(`/v1/status-pages/${tree.id}/components`, { serviceId: service.id })
  const rule = await make(`/v1/status-pages/${tree.id}/automation-rules`, {
    name: 'Shop down',
    tags: ['shop'],
    firstUpdate: 'Looking',
    lastUpdate: 'Fixed',
    components: [{ componentId: component.id, targetImpact: 'MAJOR_OUTAGE' }],
  })
  const webhook = await make(`/v1/status-pages/${page.id}/webhooks`, {
    name: 'Chat',
    url: 'https://example.com/hook',
    events: ['INCIDENT_OPENED'],
  })
  const template = await make('/v1/status-pages/incident-templates', {
    name: 'Slow',
    incident: {
      ...{ name: 'The shop is slow', severity: 'MINOR', services: [{ id: service.id }] },
      incidentUpdates: [{ description: 'Looking' }],
    },
  })
  const incident = await make('/v1/status-pages/incidents', {
    name: 'Outage',
    severity: 'MAJOR',
    services: [{ id: service.id }],
    incidentUpdates: [{ description: 'Looking', status: 'INVESTIGATING' }],
  })
  const update = await make(`/v1/status-pages/incidents/${incident.id}/incident-updates`, {
    description: 'Found',
    status: 'IDENTIFIED',
  })
  await make(`/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: [{ type: 'EMAIL', config: 'reader@example.com' }],
  })
  const [subscription] = (await owner.get(`/v1/status-pages/${page.id}/subscriptions`)).body
  const serviceKey = await make('/v1/service-api-keys', { name: 'CI', role: 'READ_RUN' })
  const deployment = await make('/v1/deployments', { sha: '9b1f5a3e6d0c' })
  const projectDeployment = await deploy(owner, {
    project: { logicalId: 'shop', name: 'Shop' },
    sharedFiles: [],
    resources: [urlCheck('home')],
  })
  const importPlan = await make('/next/projects/shop/imports', { filters: [{ type: 'include' }] })
  const prometheusToken = await make('/v1/accounts/me/prometheus-tokens')
  const userKey = await make('/v1/users/me/api-keys', { name: 'Laptop' })
  const signIns = await createSignIns(api, owner)
  const invite = await make('/v1/accounts/me/invites', { email: 'dan@example.com', role: 'READ_ONLY' })
  const checks = await createChecks(make, group.id)
  const { proposedId: scriptId } = await createAgenticScripts(api.store, owner, {
    checkId: checks.agentic as string,
    prompt: 'Open the shop and buy a pen',
  })
  const subscribed = await owner.put(`/v1/alert-channels/${channel.id}/subscriptions`, { groupId: group.id })
  const heartbeat = await createPing(owner, checks.heartbeat as string)
  const trigger = await make(`/v1/triggers/checks/${checks.api}`)
  const groupTrigger = await make(`/v1/triggers/check-groups/${group.id}`)
  const checkSessionId = await createCheckSession(api, owner, checks.url as string)
  const test = await createTestSession(api, owner, checks.api as string)
  const resultId = await insertFailedResult(api.store, owner.accountId, checks.api as string)
  const { accountId } = owner
  const ofCheck = { accountId, checkId: checks.api as string }
  const picture = { name: 'shots/home.png', content: 'a picture' }
  const artifactId = await createArtifact(
    api,
    { ...ofCheck, resultId, scheduledAt: scheduledAtOf(resultId) as number },
    picture,
  )
  const testArtifactId = await createArtifact(
    api,
    { ...ofCheck, resultId: test.testSessionResultId, scheduledAt: Date.now() },
    picture,
  )
  const uploaded = await fetch(`${api.url}/next/checkly-storage/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/octet-stream' },
    body: 'a snapshot',
  })
  const { key: upload } = (await uploaded.json()) as { key: string }
  const [errorGroup] = (await owner.get(`/v1/error-groups/checks/${checks.api}`)).body
  const analysis = await make(`/v1/root-cause-analyses/error-groups/${errorGroup.id}`)
  await runAnalyses({ ...api, publicUrl: 'http://vedette.test', model: null, now: () => Date.now() + 1000 })

  const ids = {
    snippet: snippet.id,
    certificate: certificate.id,
    location: location.id,
    channel: channel.id,
    group: group.id,
    window: window.id,
    dashboard: dashboard.id,
    service: service.id,
    page: page.id,
    componentGroup: componentGroup.id,
    component: component.id,
    incident: incident.id,
    checkSession: checkSessionId,
    testSession: test.testSessionId,
    upload,
    email: signIns.email,
    setupToken: signIns.setupToken,
    ...checks,
  }
  /** The longest path beginning that fits names the parameters. */
  const params: [string, Record<string, unknown>][] = [
    ['/v1/accounts/me/invites/', { id: invite.id }],
    ['/v1/invitations/', { token: invite.link.split('#')[1] }],
    ['/v1/accounts/me/members/', { userId: memberId }],
    ['/v1/accounts/me/prometheus-tokens/', { id: prometheusToken.id }],
    ['/accounts/', { accountId: owner.accountId }],
    ['/v1/accounts/{accountId}', { accountId: owner.accountId, userId: memberId }],
    ['/ping/', { token: heartbeat.token }],
    ['/next/accounts/', { accountId: owner.accountId }],
    ['/v1/alert-channels/', { id: channel.id, subscriptionId: subscribed.body.id }],
    ...Object.entries(analyticsPaths).map(
      ([kind, path]) => [`${path}/`, { id: checks[kind] }] as [string, Record<string, unknown>],
    ),
    ['/v1/badges/', { checkId: checks.api, groupId: group.id }],
    ['/assets/', { artifactId, name: 'home.png' }],
    ['/v1/assets/check-results/', { checkId: checks.api, checkResultId: resultId, artifactId }],
    ['/v1/check-alerts/', { checkId: checks.api }],
    ['/v1/check-groups/', { id: group.id, groupId: group.id, checkId: checks.api }],
    ['/v2/check-groups/', { id: group.id, groupId: group.id, checkId: checks.api }],
    ['/v1/check-results/', { checkId: checks.api, checkResultId: resultId }],
    ['/v2/check-results/', { checkId: checks.api }],
    ['/v1/check-statuses/', { checkId: checks.api }],
    ...Object.entries(checkPaths).map(
      ([kind, path]) => [`${path}/`, { id: checks[kind] }] as [string, Record<string, unknown>],
    ),
    ['/v1/checks/agentic/{id}/scripts', { id: checks.agentic, scriptId }],
    ['/v1/checks/heartbeats/', { checkId: checks.heartbeat, id: heartbeat.eventId }],
    ['/v1/checks/{id}', { id: checks.api }],
    ['/v1/client-certificates/', { id: certificate.id }],
    ['/v1/dashboards/', { dashboardId: dashboard.dashboardId, keyId: dashboard.keys[0]?.id }],
    ['/v1/deployments/', { id: deployment.id }],
    ['/v1/error-groups/checks/', { checkId: checks.api }],
    ['/v1/error-groups/', { id: errorGroup.id }],
    ['/v1/incidents/{id}', { id: dashboardIncident.id }],
    ['/v1/incidents/{incidentId}/updates', { incidentId: dashboardIncident.id, id: dashboardUpdate.id }],
    ['/v1/maintenance-windows/', { id: window.id }],
    ['/v1/password-resets/', { token: signIns.resetToken }],
    ['/v1/location-statuses/', { location: location.slugName }],
    ['/next/projects/', { logicalId: 'shop' }],
    ['/next/projects/imports/', { importPlanId: importPlan.id }],
    ['/v1/projects/', { logicalId: 'shop', deploymentId: projectDeployment.id }],
    ['/v1/private-locations/', { id: location.id, keyId: location.keys[0]?.id }],
    ['/v1/root-cause-analyses/error-groups/', { errorGroupId: errorGroup.id }],
    ['/v1/root-cause-analyses/test-session-error-groups/', { testSessionErrorGroupId: test.errorGroupId }],
    ['/v1/root-cause-analyses/', { id: analysis.id }],
    ['/v1/runtimes/', { id: '2026.04' }],
    ['/v1/saved-views/', { id: savedView.id }],
    ['/v1/service-api-keys/', { id: serviceKey.id }],
    ['/v1/sign-ins/', { id: signIns.id }],
    ['/v1/users/me/identities/', { id: signIns.identityId }],
    ['/v1/users/me/passkeys/', { id: signIns.passkeyId }],
    ['/v1/snippets/', { id: snippet.id }],
    ['/v1/status-pages/incidents/', { incidentId: incident.id, incidentUpdateId: update.id }],
    ['/v1/status-pages/incident-templates/', { templateId: template.id }],
    ['/v1/status-pages/services/', { serviceId: service.id }],
    [
      '/v1/status-pages/{statusPageId}',
      {
        ...{ statusPageId: page.id, subscriptionId: subscription.id, webhookId: webhook.id },
        keyId: page.keys?.[0]?.id,
      },
    ],
    ['/v1/status-pages/{statusPageId}/components', { statusPageId: tree.id, componentId: component.id }],
    ['/v1/status-pages/{statusPageId}/automation-rules', { statusPageId: tree.id, ruleId: rule.id }],
    ['/checks/', { checkId: checks.api, token: trigger.token }],
    ['/check-groups/', { groupId: group.id, token: groupTrigger.token }],
    ['/v1/sessions/', { sessionId: checkSessionId }],
    ['/v1/check-sessions/', { checkSessionId }],
    ['/v2/check-sessions/', { checkSessionId }],
    ['/agent/v1/snapshots/', { key: upload }],
    ['/v1/test-sessions/', { ...test }],
    ['/v1/test-sessions/scheduling/', { schedulingId: test.testSessionId }],
    ['/next/test-sessions/', { ...test }],
    ['/next/assets/', { region: 'eu-west-1', key: `${test.testSessionId}/${test.testSessionResultId}` }],
    ['/v1/assets/test-session-results/', { ...test, artifactId: testArtifactId }],
    ['/v1/test-session-error-groups/projects/', { projectId: test.projectId }],
    ['/v1/test-session-error-groups/', { id: test.errorGroupId }],
    ['/v1/triggers/checks/', { checkId: checks.api }],
    ['/v1/triggers/check-groups/', { groupId: group.id }],
    ['/v1/users/me/api-keys/', { id: userKey.id }],
    ['/v1/variables/', { key: 'BASE_URL' }],
  ]
  return {
    ids,
    pathOf(route) {
      if (route.params === undefined) return route.path
      const fitting = params
        .filter(([path]) => route.path.startsWith(path))
        .sort(([a], [b]) => b.length - a.length)
      const values = fitting[0]?.[1] ?? {}
      for (const name of Object.keys(route.params.shape)) {
        if (values[name] === undefined)
          throw new Error(`No fixture names {${name}} of ${route.method} ${route.path}`)
      }
      return fillPath(route.path, values) + queryOf(route, api, artifactId)
    },
  }
}

/** What routes ask for in the query. */
function queryOf({ path }: AnyRoute, { vault }: TestApi, artifactId: string): string {
  if (path.startsWith('/assets/')) {
    const link = assetLink({ sign: vault.sign, now: Date.now() }, { id: artifactId, name: 'home.png' })
    return link.slice(link.indexOf('?'))
  }
  return path.startsWith('/v1/analytics/') ? '?metrics=availability' : ''
}

const definitions: readonly CheckDefinition[] = Object.values(checkTypes)

const analyticsPaths: Record<string, string> = {
  ...Object.fromEntries(
    definitions.flatMap(({ path, analytics }) =>
      analytics === null ? [] : [[path, `/v1/analytics/${analytics.path}`]],
    ),
  ),
  heartbeat: '/v1/analytics/heartbeat-checks',
}

const checkPaths: Record<string, string> = Object.fromEntries(
  definitions.map(({ path }) => [path, `/v1/checks/${path}`]),
)

async function createChecks(
  make: (path: string, body?: unknown) => Promise<{ id: string }>,
  groupId: number,
): Promise<Record<string, string>> {
  const bodies: Record<string, object> = {
    api: { groupId, request: { method: 'GET', url: 'https://example.com' } },
    url: { request: { url: 'https://example.com' }, locations: ['eu-central-1'] },
    tcp: { request: { hostname: 'example.com', port: 443 } },
    dns: { request: { query: 'example.com', recordType: 'A' } },
    icmp: { request: { hostname: 'example.com' } },
    heartbeat: { heartbeat: { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes' } },
    browser: { script: 'x' },
    multistep: { script: 'x' },
    playwright: { codeBundlePath: checkTypes.PLAYWRIGHT.example.codeBundlePath },
    // The example uses a variable, which isn't defined here.
    grpc: { request: { url: 'example.com', port: 443, grpcConfig: { mode: 'HEALTH' } } },
    agentic: { prompt: 'Open the shop and buy a pen' },
  }
  const ids: Record<string, string> = {}
  for (const { path, example } of definitions) {
    const body = bodies[path] ?? { request: example.request }
    const { id } = await make(`/v1/checks/${path}`, { name: path, locations: ['eu-west-1'], ...body })
    ids[path] = id
  }
  return ids
}

async function createPing(owner: Caller, checkId: string): Promise<{ token: string; eventId: string }> {
  const { pingToken } = (await owner.get(`/v1/checks/${checkId}`)).body.heartbeat
  await owner.get(`/ping/${pingToken}`)
  const [{ events }] = (await owner.get(`/v1/checks/heartbeats/${checkId}/events`)).body
  return { token: pingToken, eventId: events[0].id }
}
