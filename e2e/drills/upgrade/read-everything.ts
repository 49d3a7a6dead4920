// Every GET route of the older release, with the resources of one account. A route that isn't listed here is a fault.
import { type Api, call } from '../load.ts'
import { compare, type Difference, describeDifference } from './compare.ts'
import type { Everything } from './create-everything.ts'
import { contentOf, normalize } from './normalize.ts'

export type Responses = Map<string, unknown>

type Params = Record<string, string>

/** They run something, describe the process, or are the API document, which other checks compare. */
const leftOut = [
  '/ping/{token}',
  '/check-groups/{groupId}/trigger/{token}',
  '/checks/{checkId}/trigger/{token}',
  '/metrics',
  '/accounts/{accountId}/v2/prometheus/metrics',
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/swagger.json',
  // Read through the links in the asset lists.
  '/assets/{artifactId}/{name}',
]

/** Paths with parameters, as in the API document of the older release. */
export async function listPaths(api: Api): Promise<string[]> {
  const { paths } = (await call(api, 'GET', '/openapi.json')) as {
    paths: Record<string, Record<string, unknown>>
  }
  return Object.keys(paths).filter((path) => paths[path]?.get !== undefined && !leftOut.includes(path))
}

export async function readEverything(
  api: Api,
  paths: string[],
  everything: Everything,
  period: { from: number; to: number },
): Promise<Responses> {
  const samples = await listSamples(api, everything)
  const responses: Responses = new Map()
  for (const path of paths) {
    const wanted = path.includes('{') ? samples[path] : [{}]
    if (wanted === undefined) throw new Error(`The drill doesn't know any resource for GET ${path}`)
    for (const params of wanted) {
      const url = fill(path, params) + queryOf(path, period)
      for (const query of path === '/v1/analytics/metrics' ? metricQueries(everything) : ['']) {
        responses.set(url + query, await read(api, url + query))
      }
    }
  }
  return responses
}

/** `isExpected`: what may change without a request. */
export function findDifferences(
  before: Responses,
  after: Responses,
  isExpected: (difference: Difference) => boolean = () => false,
): string[] {
  return [...before].flatMap(([url, response]) =>
    compare(response, after.get(url))
      .filter((difference) => !isExpected(difference))
      .map((difference) => `GET ${url}: ${describeDifference(difference)}`),
  )
}

/** The deadline of a heartbeat moves by the time in which no server was alive. */
export function isMovedDeadline(before: Responses, heartbeatId: string): (difference: Difference) => boolean {
  const { body } = before.get(`/v1/check-statuses/${heartbeatId}`) as { body: { nextRunAt: string } }
  return ({ path, before, after }) =>
    path.endsWith('nextRunAt') &&
    before === body.nextRunAt &&
    typeof after === 'string' &&
    after > before &&
    Date.parse(after) - Date.parse(before) < longestOutageMs
}

const longestOutageMs = 3_600_000

async function listSamples(api: Api, everything: Everything): Promise<Record<string, Params[]>> {
  const checks = [...Object.values(everything.checks), everything.brokenCheck]
  const each = (name: string, values: readonly string[]): Params[] =>
    values.map((value) => ({ [name]: value }))
  const results = await listResults(api)
  const testResults = await listTestResults(api, everything.testSession)
  const account = [{ accountId: api.accountId }]
  const grouped = [
    { groupId: everything.groups[0] as string, checkId: everything.brokenCheck },
    { groupId: everything.groups[1] as string, checkId: everything.checks.API as string },
  ]
  const incident = { incidentId: everything.statusPageIncident }
  const withLog = results.filter(({ checkType }) => codeTypes.has(checkType))
  const errorGroups = (await call(api, 'GET', '/v1/error-groups')) as { id: string }[]
  const testErrorGroups = (await call(api, 'GET', '/v1/test-session-error-groups')) as { id: string }[]
  const heartbeat = { checkId: everything.checks.HEARTBEAT as string }
  const history = (await call(api, 'GET', `/v1/checks/heartbeats/${heartbeat.checkId}/events`)) as {
    events: { id: string }[]
  }[]
  const events = history.flatMap((page) => page.events)
  const runtimes = (await call(api, 'GET', '/v1/runtimes')) as { name: string }[]
  const onCheckResult = (list: Result[]) => list.map(({ checkId, id }) => ({ checkId, checkResultId: id }))
  return {
    '/v1/checks/{id}': each('id', checks),
    '/v1/checks/agentic/{id}/scripts': [{ id: everything.checks.AGENTIC as string }],
    '/v1/check-groups/{id}': each('id', everything.groups),
    '/v1/check-groups/{groupId}/checks/{checkId}': grouped,
    '/v2/check-groups/{groupId}/checks/{checkId}': grouped,
    '/v1/check-groups/{id}/checks': each('id', everything.groups),
    '/v2/check-groups/{id}/checks': each('id', everything.groups),
    '/v1/check-results/{checkId}/{checkResultId}': onCheckResult(results),
    '/v1/check-results/{checkId}': each('checkId', checks),
    '/v2/check-results/{checkId}': each('checkId', checks),
    '/v1/assets/check-results/{checkId}/{checkResultId}/capture.pcap': onCheckResult(results),
    '/v1/assets/check-results/{checkId}/{checkResultId}/files/{artifactId}': [],
    '/v1/assets/check-results/{checkId}/{checkResultId}/logs.json': onCheckResult(withLog),
    '/v1/assets/check-results/{checkId}/{checkResultId}/check-run-data.json': onCheckResult(results),
    '/v1/check-results/{checkId}/{checkResultId}/assets': onCheckResult(results),
    '/v1/check-statuses/{checkId}': each('checkId', checks),
    '/v1/check-alerts/{checkId}': each('checkId', checks),
    '/v1/error-groups/{id}': errorGroups.map(({ id }) => ({ id })),
    '/v1/error-groups/checks/{checkId}': each('checkId', checks),
    '/v1/root-cause-analyses/{id}': [{ id: everything.rootCauseAnalysis }],
    '/v1/checks/heartbeats/{checkId}/availability': [heartbeat],
    '/v1/checks/heartbeats/{checkId}/events': [heartbeat],
    '/v1/checks/heartbeats/{checkId}/events/{id}': events.map(({ id }) => ({ ...heartbeat, id })),
    '/v1/checks/{id}/coverage': each('id', checks),
    '/v1/accounts/{accountId}': account,
    '/v1/accounts/{accountId}/entitlements': account,
    '/v1/accounts/{accountId}/members': account,
    '/next/accounts/{accountId}': account,
    '/v1/private-locations/{id}': [{ id: everything.privateLocation }],
    '/v1/private-locations/{id}/metrics': [{ id: everything.privateLocation }],
    '/v1/runtimes/{id}': runtimes.map(({ name }) => ({ id: name })),
    '/v1/snippets/{id}': [{ id: everything.snippet }],
    '/v1/dashboards/{dashboardId}': [{ dashboardId: everything.dashboard }],
    '/v1/incidents/{id}': [{ id: everything.dashboardIncident }],
    '/v1/status-pages/{statusPageId}': [{ statusPageId: everything.statusPage }],
    '/v1/status-pages/services/{serviceId}': [{ serviceId: everything.service }],
    '/v1/status-pages/incidents/{incidentId}': [incident],
    '/v1/status-pages/incidents/{incidentId}/incident-updates': [incident],
    '/v1/status-pages/incidents/{incidentId}/incident-updates/{incidentUpdateId}': [
      { ...incident, incidentUpdateId: everything.statusPageIncidentUpdate },
    ],
    '/v1/status-pages/{statusPageId}/subscriptions': [{ statusPageId: everything.statusPage }],
    '/v1/triggers/check-groups/{groupId}': [{ groupId: everything.groups[0] as string }],
    '/v1/triggers/checks/{checkId}': [{ checkId: everything.checks.URL as string }],
    '/v1/check-sessions/{checkSessionId}/completion': each('checkSessionId', everything.checkSessions),
    '/v2/check-sessions/{checkSessionId}/completion': each('checkSessionId', everything.checkSessions),
    '/v1/check-sessions/{checkSessionId}': each('checkSessionId', everything.checkSessions),
    '/v2/check-sessions/{checkSessionId}': each('checkSessionId', everything.checkSessions),
    '/v1/test-sessions/{testSessionId}/completion': [{ testSessionId: everything.testSession }],
    '/v1/test-sessions/{testSessionId}': [{ testSessionId: everything.testSession }],
    '/v1/test-sessions/{testSessionId}/results/{testSessionResultId}': testResults,
    '/v1/assets/test-session-results/{testSessionId}/{testSessionResultId}/capture.pcap': testResults,
    '/v1/assets/test-session-results/{testSessionId}/{testSessionResultId}/files/{artifactId}': [],
    '/v1/assets/test-session-results/{testSessionId}/{testSessionResultId}/logs.json': testResults,
    '/v1/assets/test-session-results/{testSessionId}/{testSessionResultId}/check-run-data.json': testResults,
    '/v1/test-sessions/{testSessionId}/results/{testSessionResultId}/assets': testResults,
    '/v1/test-session-error-groups/{id}': testErrorGroups.map(({ id }) => ({ id })),
    '/v1/test-session-error-groups/projects/{projectId}': [],
    '/v1/alert-channels/{id}': each('id', everything.channels),
    '/v1/variables/{key}': each('key', everything.variables),
    '/v1/client-certificates/{id}': [{ id: everything.certificate }],
    '/v1/maintenance-windows/{id}': [{ id: everything.maintenanceWindow }],
    ...Object.fromEntries(
      Object.entries(analyticsPaths).map(([path, type]) => [
        path,
        [{ id: everything.checks[type] as string }],
      ]),
    ),
    '/v1/badges/checks/{checkId}': each('checkId', checks),
    '/v1/badges/groups/{groupId}': each('groupId', everything.groups),
  }
}

const codeTypes = new Set(['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC'])

const analyticsPaths: Record<string, string> = {
  '/v1/analytics/api-checks/{id}': 'API',
  '/v1/analytics/browser-checks/{id}': 'BROWSER',
  '/v1/analytics/dns/{id}': 'DNS',
  '/v1/analytics/heartbeat-checks/{id}': 'HEARTBEAT',
  '/v1/analytics/icmp/{id}': 'ICMP',
  '/v1/analytics/multistep-checks/{id}': 'MULTI_STEP',
  '/v1/analytics/playwright-checks/{id}': 'PLAYWRIGHT',
  '/v1/analytics/tcp-checks/{id}': 'TCP',
  '/v1/analytics/url-monitors/{id}': 'URL',
}

interface Result {
  id: string
  checkId: string
  checkType: string
}

async function listResults(api: Api): Promise<Result[]> {
  const { entries } = (await call(api, 'GET', '/v2/check-results?limit=100&resultType=ALL')) as {
    entries: Result[]
  }
  return entries
}

async function listTestResults(api: Api, testSessionId: string): Promise<Params[]> {
  const { results } = (await call(api, 'GET', `/v1/test-sessions/${testSessionId}`)) as {
    results: { testSessionResultId: string }[]
  }
  return results.map(({ testSessionResultId }) => ({ testSessionId, testSessionResultId }))
}

function fill(path: string, params: Params): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] as string))
}

/** A fixed period, where the default would end now. */
function queryOf(path: string, { from, to }: { from: number; to: number }): string {
  const seconds = `from=${Math.floor(from / 1000)}&to=${Math.floor(to / 1000)}`
  const type = analyticsPaths[path]
  if (type === 'HEARTBEAT') return `?${seconds}`
  if (type !== undefined) return `?${seconds}&aggregationInterval=60&metrics=${metrics[type]}`
  const isOverTime = path === '/v1/reporting' || path.endsWith('/coverage')
  if (isOverTime || path === '/v1/private-locations/{id}/metrics') return `?${seconds}`
  if (path.endsWith('/completion')) return '?maxWaitSeconds=30'
  return ''
}

const metrics: Record<string, string> = {
  API: 'availability,responseTime_p95,responseTime_avg',
  URL: 'availability,responseTime_p95,responseTime_avg',
  TCP: 'availability,total_p95',
  DNS: 'availability,total_p95',
  ICMP: 'availability,packetLoss_avg',
  BROWSER: 'availability,responseTime_p95',
  MULTI_STEP: 'availability,responseTime_p95',
  PLAYWRIGHT: 'availability,responseTime_p95',
}

function metricQueries({ checks }: Everything): string[] {
  return Object.keys(checks).map((type) => `?checkType=${type}`)
}

/** A JSON document, or the hash of any other body, with the status and the type of the response. */
async function read(api: Api, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, api.url()), {
    headers: { authorization: `Bearer ${api.key}`, 'x-service-account': api.accountId },
  })
  const type = response.headers.get('content-type') ?? ''
  const body = Buffer.from(await response.arrayBuffer())
  // Some results have no capture or log, and a suite has no analytics yet: those may be missing, and must stay so.
  if (response.status >= 400 && response.status !== 404) {
    throw new Error(`GET ${path} responded ${response.status}: ${body.toString().slice(0, 500)}`)
  }
  const isJson = type.startsWith('application/json')
  return {
    status: response.status,
    type,
    total: response.headers.get('content-range'),
    body: isJson ? await normalize(api, JSON.parse(body.toString())) : contentOf(type, body),
  }
}
