// Checks and groups, as checkly-go-sdk 1.22 writes them.
import { type Attributes, type GoResource, ignored, omitted, required, sent } from './resource.ts'

/** What the resources point at. */
export interface References {
  groupId: number
  channelId: number
  snippetId: number
  serviceId: string
  privateLocation: string
  codeBundle: string
}

const zeroTime = '0001-01-01T00:00:00Z'

const alertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 2 },
  timeBasedEscalation: {},
  reminders: { amount: 2, interval: 10 },
  parallelRunFailureThreshold: {},
  sslCertificates: {},
}

const retryStrategy = {
  type: 'LINEAR',
  baseBackoffSeconds: 30,
  maxRetries: 3,
  maxDurationSeconds: 300,
  sameRegion: false,
}

const assertion = (source: string, comparison: string, target: string, property = '') => ({
  ...{ edit: false, order: 0, arrayIndex: 0, arraySelector: 0 },
  ...{ source, property, comparison, target },
})

const emptyRequest = {
  ...{ method: '', url: '', followRedirects: false, skipSSL: false, body: '' },
  ...{ headers: null, queryParameters: null, assertions: null },
}

const emptyHeartbeat = { period: 0, periodUnit: '', grace: 0, graceUnit: '', pingToken: '' }

const incident = (serviceId: string) => ({
  serviceId,
  severity: 'MINOR',
  name: 'Down',
  description: 'It is down',
  notifySubscribers: true,
})

const subscription = (alertChannelId: number) => [{ alertChannelId, activated: true }]

/** Of all checks and monitors. */
const common = (refs: References): Attributes => ({
  name: required('As code'),
  description: sent('Made by a plan', null),
  activated: required(true),
  muted: sent(true, false),
  tags: omitted(['a', 'b']),
  useGlobalAlertSettings: sent(true, false),
  alertChannelSubscriptions: omitted(subscription(refs.channelId)),
  triggerIncident: sent(incident(refs.serviceId), null),
})

const placed: Attributes = {
  locations: required(['eu-west-1', 'us-east-1']),
  runParallel: sent(true, false),
}

const inGroup = (refs: References): Attributes => ({
  groupId: sent(refs.groupId, null),
  groupOrder: omitted(3),
})

const inPrivate = (refs: References): Attributes => ({ privateLocations: sent([refs.privateLocation], []) })

/** `Check`: API, BROWSER and MULTI_STEP. */
const check = (refs: References, checkType: string): Attributes => ({
  id: ignored(''),
  ...common(refs),
  ...placed,
  ...inGroup(refs),
  ...inPrivate(refs),
  checkType: required(checkType),
  frequency: required(10),
  shouldFail: sent(checkType === 'API', false),
  degradedResponseTime: sent(12_000, 15_000),
  maxResponseTime: sent(25_000, 30_000),
  environmentVariables: sent([{ key: 'A', value: '1', locked: false, secret: false }], []),
  sslCheckDomain: ignored(''),
  alertSettings: required(alertSettings),
  heartbeat: ignored(emptyHeartbeat),
  retryStrategy: sent(retryStrategy, null),
  runtimeId: sent('2025.04', null),
  sslCheck: ignored(false),
  doubleCheck: required(false),
  createdAt: ignored(zeroTime),
  updatedAt: ignored(zeroTime),
})

/** The monitors, which have structs of their own. */
const monitor = (refs: References, checkType: string): Attributes => ({
  ...common(refs),
  ...placed,
  ...inGroup(refs),
  checkType: required(checkType),
  frequency: required(5),
  alertSettings: required(alertSettings),
  doubleCheck: required(false),
  retryStrategy: sent(retryStrategy, null),
  created_at: ignored(zeroTime),
  updated_at: ignored(zeroTime),
})

const timed: Attributes = { degradedResponseTime: required(4000), maxResponseTime: required(3000) }

const checkResource = (path: string, attributes: Attributes, change: object = {}): GoResource => ({
  title: `check ${path}`,
  create: `/v1/checks/${path}?autoAssignAlerts=false`,
  read: ({ id }) => `/v1/checks/${id}`,
  update: ({ id }) => `/v1/checks/${path}/${id}?autoAssignAlerts=false`,
  remove: ({ id }) => `/v1/checks/${id}`,
  attributes,
  change: { name: 'Renamed', ...change },
})

export const checkResources = (refs: References): GoResource[] => [
  checkResource(
    'api',
    {
      ...check(refs, 'API'),
      environmentVariables: ignored(null),
      setupSnippetId: omitted(refs.snippetId),
      tearDownSnippetId: omitted(refs.snippetId),
      localSetupScript: omitted('const a = 1'),
      localTearDownScript: omitted('const b = 1'),
      request: sent(
        {
          ...{ method: 'POST', url: 'https://example.com/a', followRedirects: true, skipSSL: true },
          ...{ body: '{"a":1}', bodyType: 'JSON', ipFamily: 'IPv6' },
          headers: [{ key: 'x-a', value: '1', locked: false }],
          queryParameters: [{ key: 'q', value: '2', locked: false }],
          assertions: [assertion('STATUS_CODE', 'EQUALS', '200')],
          basicAuth: { username: 'u', password: 'p' },
        },
        { ...emptyRequest, method: 'GET', url: 'https://example.com/a', bodyType: 'NONE', ipFamily: 'IPv4' },
      ),
    },
    { frequency: 0, frequencyOffset: 20 },
  ),
  checkResource('browser', {
    ...check(refs, 'BROWSER'),
    script: required("await page.goto('https://example.com')"),
    retryStrategy: sent({ ...retryStrategy, onlyOn: ['NETWORK_ERROR'] }, null),
    request: ignored(emptyRequest),
  }),
  checkResource('multistep', {
    ...check(refs, 'MULTI_STEP'),
    script: required('await Promise.resolve()'),
    request: ignored(emptyRequest),
  }),
  checkResource(
    'heartbeat',
    {
      id: ignored(''),
      ...common(refs),
      alertSettings: required(alertSettings),
      heartbeat: required({ period: 7, periodUnit: 'days', grace: 1, graceUnit: 'hours', pingToken: '' }),
      createdAt: ignored(zeroTime),
      updatedAt: ignored(zeroTime),
    },
    { heartbeat: { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes', pingToken: '' } },
  ),
  checkResource('tcp', {
    ...monitor(refs, 'TCP'),
    ...timed,
    ...inPrivate(refs),
    shouldFail: sent(true, false),
    runtimeId: sent('2025.04', null),
    request: sent(
      {
        ...{ hostname: 'example.com', port: 443, data: 'ping', ipFamily: 'IPv6' },
        assertions: [assertion('RESPONSE_DATA', 'CONTAINS', 'pong')],
      },
      { hostname: 'example.com', port: 443 },
    ),
  }),
  checkResource('url', {
    ...monitor(refs, 'URL'),
    ...timed,
    ...inPrivate(refs),
    shouldFail: sent(true, false),
    request: sent(
      {
        ...emptyRequest,
        ...{ method: 'GET', url: 'https://example.com', followRedirects: true, skipSSL: true },
        assertions: [assertion('STATUS_CODE', 'EQUALS', '200')],
      },
      { ...emptyRequest, method: 'GET', url: 'https://example.com' },
    ),
  }),
  checkResource('dns', {
    ...monitor(refs, 'DNS'),
    ...timed,
    shouldFail: ignored(false),
    request: sent(
      {
        ...{ recordType: 'A', query: 'example.com', nameServer: '1.1.1.1', port: 53, protocol: 'TCP' },
        assertions: [assertion('RESPONSE_CODE', 'EQUALS', 'NOERROR')],
      },
      { recordType: 'A', query: 'example.com', assertions: null },
    ),
  }),
  checkResource('icmp', {
    ...monitor(refs, 'ICMP'),
    degradedPacketLossThreshold: required(30),
    maxPacketLossThreshold: required(40),
    shouldFail: ignored(false),
    request: sent(
      {
        ...{ hostname: 'example.com', ipFamily: 'IPv6', pingCount: 7 },
        assertions: [assertion('LATENCY', 'LESS_THAN', '100', 'avg')],
      },
      { hostname: 'example.com', assertions: null },
    ),
  }),
  checkResource('grpc', {
    ...monitor(refs, 'GRPC'),
    ...timed,
    ...inPrivate(refs),
    shouldFail: sent(true, false),
    runtimeId: ignored(null),
    request: sent(
      {
        ...{ url: 'grpc.example.com', port: 50_051, ipFamily: 'IPv6', skipSSL: true, timeout: 10 },
        grpcConfig: {
          ...{ mode: 'BEHAVIOR', tls: true, serviceDefinition: 'REFLECTION', method: 'a.B/C' },
          ...{ message: '{"a":1}', metadata: [{ key: 'x-a', value: '1' }] },
        },
      },
      { url: 'grpc.example.com', port: 50_051, skipSSL: false, grpcConfig: { mode: 'HEALTH', tls: false } },
    ),
  }),
  checkResource('ssl', {
    ...monitor(refs, 'SSL'),
    ...timed,
    ...inPrivate(refs),
    shouldFail: sent(true, false),
    runtimeId: ignored(null),
    request: sent(
      {
        sslConfig: {
          ...{ hostname: 'example.com', port: 8443, serverName: 'a.example.com', ipFamily: 'IPv6' },
          ...{ skipChainValidation: true, handshakeTimeoutMs: 5000, alertDaysBeforeExpiry: 7 },
        },
      },
      { sslConfig: { hostname: 'example.com', skipChainValidation: false } },
    ),
  }),
  checkResource('traceroute', {
    ...monitor(refs, 'TRACEROUTE'),
    ...timed,
    shouldFail: sent(true, false),
    runtimeId: ignored(null),
    request: sent(
      {
        ...{ url: 'example.com', protocol: 'TCP', port: 8443, ipFamily: 'IPv6', maxHops: 20 },
        ...{ maxUnknownHops: 5, ptrLookup: false, timeout: 8 },
      },
      { url: 'example.com' },
    ),
  }),
  checkResource('playwright', {
    ...common(refs),
    ...placed,
    ...inPrivate(refs),
    frequency: required(30),
    groupId: omitted(refs.groupId),
    groupOrder: omitted(3),
    alertSettings: required(alertSettings),
    environmentVariables: sent([{ key: 'A', value: '1', locked: false, secret: false }], []),
    cacheHash: sent('abc', ''),
    playwrightVersion: sent('1.56.0', null),
    testCommand: sent('npx playwright test --grep a', null),
    installCommand: sent('npm ci', null),
    browsers: required(['chromium', 'firefox']),
    codeBundlePath: required(refs.codeBundle),
    workingDir: sent('web', null),
    engine: sent('node', null),
    engineVersion: sent('24', null),
    created_at: ignored(zeroTime),
    updated_at: ignored(zeroTime),
  }),
  ...groupResources(refs),
]

const groupCommon = (refs: References): Attributes => ({
  name: required('Group as code'),
  activated: required(true),
  muted: sent(true, false),
  tags: sent(['a'], []),
  locations: sent(['eu-west-1'], []),
  concurrency: sent(5, 3),
  environmentVariables: sent([{ key: 'A', value: '1', locked: false, secret: false }], []),
  privateLocations: sent([refs.privateLocation], []),
  apiCheckDefaults: sent(
    {
      url: 'https://example.com',
      headers: [{ key: 'x-a', value: '1', locked: false }],
      queryParameters: [{ key: 'q', value: '2', locked: false }],
      assertions: [assertion('STATUS_CODE', 'EQUALS', '200')],
      basicAuth: { username: 'u', password: 'p' },
    },
    { url: '', basicAuth: { username: '', password: '' } },
  ),
  alertChannelSubscriptions: omitted(subscription(refs.channelId)),
  runtimeId: sent('2025.04', null),
  createdAt: ignored(zeroTime),
  updatedAt: ignored(zeroTime),
})

const groupResource = (version: 1 | 2, attributes: Attributes): GoResource => ({
  title: `check group, version ${version}`,
  create: `/v${version}/check-groups?autoAssignAlerts=false`,
  read: ({ id }) => `/v1/check-groups/${id}`,
  update: ({ id }) => `/v${version}/check-groups/${id}?autoAssignAlerts=false`,
  remove: ({ id }) => `/v1/check-groups/${id}`,
  attributes,
  change: { name: 'Renamed' },
})

const groupResources = (refs: References): GoResource[] => [
  groupResource(1, {
    ...groupCommon(refs),
    runParallel: sent(true, false),
    useGlobalAlertSettings: sent(true, false),
    alertSettings: required(alertSettings),
    setupSnippetId: omitted(refs.snippetId),
    tearDownSnippetId: omitted(refs.snippetId),
    localSetupScript: omitted('const a = 1'),
    localTearDownScript: omitted('const b = 1'),
    retryStrategy: sent(retryStrategy, null),
    doubleCheck: required(false),
  }),
  groupResource(2, {
    ...groupCommon(refs),
    runParallel: sent(true, null),
    useGlobalAlertSettings: sent(false, null),
    alertSettings: sent(alertSettings, null),
    setupSnippetId: sent(refs.snippetId, null),
    tearDownSnippetId: sent(refs.snippetId, null),
    localSetupScript: sent('const a = 1', null),
    localTearDownScript: sent('const b = 1', null),
    retryStrategy: sent(retryStrategy, 'FALLBACK'),
  }),
]
