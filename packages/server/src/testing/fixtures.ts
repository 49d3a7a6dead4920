// One of every resource in an account, made through the API, and the path parameters that name them.
import type { AnyRoute } from '@vedette/contracts'
import { fillPath } from '@vedette/contracts'
import type { Caller, TestApi } from './api.ts'
import { testCertificate, testPrivateKey } from './certificates.ts'

export interface Fixtures {
  /** The path of a route with the ids of these resources in it. */
  pathOf(route: AnyRoute): string
  ids: Record<string, string | number>
}

export async function createFixtures(api: TestApi, owner: Caller): Promise<Fixtures> {
  const memberId = await api.addMember(owner.accountId, 'READ_ONLY')
  const make = async (path: string, body?: unknown) => {
    const answer = await owner.post(path, body)
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }
  const snippet = await make('/v1/snippets', { name: 'shared', script: 'x' })
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
  const userKey = await make('/v1/users/me/api-keys', { name: 'Laptop' })
  const checks = await createChecks(make, group.id)
  await make(`/v1/triggers/checks/${checks.api}`)
  await make(`/v1/triggers/check-groups/${group.id}`)

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
    incident: incident.id,
    ...checks,
  }
  /** The longest path beginning that fits names the parameters. */
  const params: [string, Record<string, unknown>][] = [
    ['/v1/accounts/me/members/', { userId: memberId }],
    ['/v1/accounts/{accountId}', { accountId: owner.accountId, userId: memberId }],
    ['/next/accounts/', { accountId: owner.accountId }],
    ['/v1/alert-channels/', { id: channel.id }],
    ['/v1/check-groups/', { id: group.id, groupId: group.id, checkId: checks.api }],
    ['/v2/check-groups/', { id: group.id, groupId: group.id, checkId: checks.api }],
    ...Object.entries(checkPaths).map(
      ([kind, path]) => [`${path}/`, { id: checks[kind] }] as [string, Record<string, unknown>],
    ),
    ['/v1/checks/{id}', { id: checks.api }],
    ['/v1/client-certificates/', { id: certificate.id }],
    ['/v1/dashboards/', { dashboardId: dashboard.dashboardId, keyId: dashboard.keys[0]?.id }],
    ['/v1/incidents/{id}', { id: dashboardIncident.id }],
    ['/v1/incidents/{incidentId}/updates', { incidentId: dashboardIncident.id, id: dashboardUpdate.id }],
    ['/v1/maintenance-windows/', { id: window.id }],
    ['/v1/private-locations/', { id: location.id, keyId: location.keys[0]?.id }],
    ['/v1/runtimes/', { id: '2026.04' }],
    ['/v1/service-api-keys/', { id: serviceKey.id }],
    ['/v1/snippets/', { id: snippet.id }],
    ['/v1/status-pages/incidents/', { incidentId: incident.id, incidentUpdateId: update.id }],
    ['/v1/status-pages/services/', { serviceId: service.id }],
    [
      '/v1/status-pages/{statusPageId}',
      { statusPageId: page.id, subscriptionId: subscription.id, keyId: page.keys?.[0]?.id },
    ],
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
      return fillPath(route.path, values)
    },
  }
}

const checkPaths: Record<string, string> = {
  api: '/v1/checks/api',
  url: '/v1/checks/url',
  tcp: '/v1/checks/tcp',
  dns: '/v1/checks/dns',
  icmp: '/v1/checks/icmp',
  heartbeat: '/v1/checks/heartbeat',
  browser: '/v1/checks/browser',
  multistep: '/v1/checks/multistep',
  playwright: '/v1/checks/playwright',
  agentic: '/v1/checks/agentic',
}

async function createChecks(
  make: (path: string, body?: unknown) => Promise<{ id: string }>,
  groupId: number,
): Promise<Record<string, string>> {
  const bodies: Record<string, object> = {
    api: { groupId, request: { method: 'GET', url: 'https://example.com' } },
    url: { request: { url: 'https://example.com' } },
    tcp: { request: { hostname: 'example.com', port: 443 } },
    dns: { request: { query: 'example.com', recordType: 'A' } },
    icmp: { request: { hostname: 'example.com' } },
    heartbeat: { heartbeat: { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes' } },
    browser: { script: 'x' },
    multistep: { script: 'x' },
    playwright: { codeBundlePath: 'bundles/a.tar.gz' },
    agentic: { prompt: 'Open the shop and buy a pen' },
  }
  const ids: Record<string, string> = {}
  for (const [kind, body] of Object.entries(bodies)) {
    const { id } = await make(checkPaths[kind] as string, { name: kind, ...body })
    ids[kind] = id
  }
  return ids
}
