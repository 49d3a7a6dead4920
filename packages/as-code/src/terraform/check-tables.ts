// Checks and monitors: the resources of the provider, by type.
import {
  allAlways,
  always,
  block,
  blocks,
  constant,
  type Field,
  isJson,
  type Json,
  pairs,
  reference,
  type Table,
  type Translation,
  type ValueField,
  value,
  values,
} from './table.ts'

/** What the deprecated `doubleCheck` means. */
const doubleCheck = {
  ...{ type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 1 },
  ...{ maxDurationSeconds: 600, sameRegion: false },
}

/** No strategy is a type of its own, and conditions are a block. */
const retryTranslation: Translation = {
  toTerraform(strategy, owner) {
    if (!isJson(strategy)) return owner.doubleCheck === true ? doubleCheck : { type: 'NO_RETRIES' }
    const { onlyOn, ...rest } = strategy
    return Array.isArray(onlyOn) && onlyOn.includes('NETWORK_ERROR')
      ? { ...rest, onlyOn: { networkError: true } }
      : rest
  },
  toApi(strategy) {
    if (!isJson(strategy) || strategy.type === 'NO_RETRIES') return null
    const { onlyOn, ...rest } = strategy
    return onlyOn === undefined ? rest : { ...rest, onlyOn: ['NETWORK_ERROR'] }
  },
}

export const retryStrategy = block(
  'retry_strategy',
  [
    always('type'),
    ...allAlways('base_backoff_seconds', 'max_retries', 'max_duration_seconds', 'same_region'),
    block('only_on', [value('network_error')]),
  ],
  { translation: retryTranslation },
)

const isEscalation = (type: string) => (settings: Json) => settings.escalationType === type

export const alertSettings = block('alert_settings', [
  value('escalation_type'),
  block('run_based_escalation', [always('failed_run_threshold')], {
    isWritten: isEscalation('RUN_BASED'),
    isInert: true,
  }),
  block('time_based_escalation', [always('minutes_failing_threshold')], {
    isWritten: isEscalation('TIME_BASED'),
    isInert: true,
  }),
  block('reminders', allAlways('amount', 'interval')),
  block('parallel_run_failure_threshold', allAlways('enabled', 'percentage')),
])

export const subscriptions = blocks('alert_channel_subscription', 'alertChannelSubscriptions', [
  reference('channel_id', 'alert-channel', 'alertChannelId'),
  always('activated'),
])

const secretVariable = ({ key, locked, secret }: Json) =>
  locked === true || secret === true ? String(key) : undefined

export const environmentVariables = blocks('environment_variable', 'environmentVariables', [
  value('key'),
  always('value', { secretName: secretVariable }),
  ...values('locked', 'secret'),
])

export const assertions = blocks('assertion', 'assertions', [
  ...values('source', 'property', 'comparison'),
  always('target'),
])

export const basicAuth = block('basic_auth', [
  always('username'),
  value('password', { secretName: () => 'basic_auth_password' }),
])

const triggerIncident = block('trigger_incident', [
  reference('service_id', 'status-page-service'),
  ...values('severity', 'name', 'description'),
  always('notify_subscribers'),
])

const common: Field[] = [
  ...values('name', 'description'),
  always('activated'),
  ...values('muted', 'tags'),
  always('use_global_alert_settings'),
  alertSettings,
  subscriptions,
  triggerIncident,
]

const scheduled: Field[] = [
  always('frequency'),
  value('locations'),
  value('run_parallel'),
  reference('group_id', 'check-group'),
  value('group_order'),
]

const offset = value('frequency_offset')
const privateLocations = reference('private_locations', 'private-location')
const responseTimes = allAlways('degraded_response_time', 'max_response_time')
const skipSsl = value('skip_ssl', { path: 'skipSSL' })

const httpRequest: Field[] = [
  ...values('method', 'url'),
  always('follow_redirects'),
  skipSsl,
  ...values('ip_family', 'body', 'body_type'),
  pairs('headers'),
  pairs('query_parameters'),
  assertions,
  basicAuth,
]

const check: Field[] = [
  value('type', { path: 'checkType' }),
  ...common,
  ...scheduled,
  offset,
  privateLocations,
  value('should_fail'),
  ...responseTimes,
  value('runtime_id'),
  environmentVariables,
  retryStrategy,
  value('script'),
  reference('setup_snippet_id', 'snippet'),
  reference('teardown_snippet_id', 'snippet', 'tearDownSnippetId'),
  value('local_setup_script'),
  value('local_teardown_script', { path: 'localTearDownScript' }),
  block('request', httpRequest),
]

const monitor = (request: readonly Field[], others: readonly Field[] = []): Field[] => [
  ...common,
  ...scheduled,
  offset,
  ...others,
  retryStrategy,
  block('request', request),
]

const hasCertificate = ({ sslConfig, sslClientCertificateId }: Json) =>
  Boolean(sslClientCertificateId) || (isJson(sslConfig) && Boolean(sslConfig.clientCertificateMode))

const severity = value('severity')

/** A baseline that is written shows up in the first plan after an import, so the default one isn't. */
const hasOwnBaseline = ({ sslConfig }: Json) => {
  const rules = isJson(sslConfig) && isJson(sslConfig.securityBaseline) ? sslConfig.securityBaseline : {}
  return Object.entries(rules).some(([name, rule]) => {
    const expected = defaultBaseline[name]
    if (!isJson(rule) || !isJson(expected)) return rule !== expected
    return Object.entries(rule).some(([field, one]) => one !== expected[field])
  })
}

const defaultBaseline: Json = {
  enabled: true,
  minTLSVersion: { value: 'TLS1.2', severity: 'fail' },
  minKeySizeBits: { value: 2048, severity: 'fail' },
  weakSignatureAlgorithm: { severity: 'fail' },
  weakCipherSuite: { severity: 'fail' },
  knownBadCA: { severity: 'fail' },
  recommendedTLSVersion: { value: 'TLS1.3', severity: 'ignore' },
  recommendedKeySizeBits: { value: 3072, severity: 'ignore' },
  ocspMustStapleRespected: { severity: 'ignore' },
  sctPresent: { severity: 'ignore' },
}

const securityBaseline = block(
  'security_baseline',
  [
    always('enabled'),
    block('min_tls_version', [value('value'), severity], { path: 'minTLSVersion' }),
    block('min_key_size_bits', [value('value'), severity]),
    block('weak_signature_algorithm', [severity]),
    block('weak_cipher_suite', [severity]),
    block('known_bad_ca', [severity], { path: 'knownBadCA' }),
    block('recommended_tls_version', [value('value'), severity], { path: 'recommendedTLSVersion' }),
    block('recommended_key_size_bits', [value('value'), severity]),
    block('ocsp_must_staple_respected', [severity]),
    block('sct_present', [severity]),
  ],
  { path: 'sslConfig.securityBaseline', isWritten: hasOwnBaseline, isInert: true },
)

const ofConfig = (config: string, ...names: string[]) =>
  names.map((name) => {
    const field = value(name)
    return { ...field, path: `${config}.${field.path}` }
  })

const sslRequest: Field[] = [
  ...ofConfig('sslConfig', 'hostname', 'port', 'server_name', 'ip_family', 'skip_chain_validation'),
  ...ofConfig('sslConfig', 'handshake_timeout_ms', 'alert_days_before_expiry'),
  securityBaseline,
  block(
    'client_certificate',
    [
      value('mode', { path: 'sslConfig.clientCertificateMode' }),
      reference('client_certificate_id', 'client-certificate', 'sslClientCertificateId'),
    ],
    { path: '', isWritten: hasCertificate },
  ),
  assertions,
]

const grpcRequest: Field[] = [
  value('host', { path: 'url' }),
  value('port'),
  value('ip_family'),
  skipSsl,
  value('timeout'),
  value('grpc_mode', { path: 'grpcConfig.mode' }),
  always('tls', { path: 'grpcConfig.tls' }),
  value('service_definition', { path: 'grpcConfig.serviceDefinition' }),
  ...ofConfig('grpcConfig', 'method', 'message', 'proto_content', 'service'),
  blocks('metadata', 'grpcConfig.metadata', [value('key'), always('value')]),
  assertions,
]

const tracerouteRequest: Field[] = [
  ...values('url', 'protocol', 'port', 'ip_family', 'max_hops', 'max_unknown_hops'),
  always('ptr_lookup'),
  value('timeout'),
  assertions,
]

/** Without detection from the bundle: the settings of the suite are written. */
const suiteRuntime = block(
  'runtime',
  [
    constant('auto_detect', false),
    value('working_dir'),
    block(
      'steps',
      [
        block('install', [value('command', { path: 'installCommand' })], { path: '' }),
        block('test', [value('command', { path: 'testCommand' })], { path: '' }),
      ],
      { path: '', isWritten: ({ installCommand, testCommand }) => Boolean(installCommand ?? testCommand) },
    ),
    block(
      'playwright',
      [
        value('version', { path: 'playwrightVersion' }),
        { field: 'value-blocks', name: 'device', path: 'browsers', attribute: 'type' },
      ],
      { path: '', isAlways: true },
    ),
    block('engine', [value('name', { path: 'engine' }), value('version', { path: 'engineVersion' })], {
      path: '',
    }),
  ],
  { path: '', isAlways: true },
)

export const bundleResource = 'checkly_playwright_code_bundle'

const ofBundle = (name: string, path: string): Field => ({
  field: 'companion',
  name,
  path,
  resource: bundleResource,
  attribute: name,
})

const suite: Field[] = [
  ...common,
  ...scheduled,
  privateLocations,
  environmentVariables,
  block('bundle', [ofBundle('id', 'codeBundlePath'), ofBundle('metadata', 'cacheHash')], {
    path: '',
    isAlways: true,
  }),
  suiteRuntime,
]

/** What the server sets and observes. */
const observed = [
  ...[
    'id',
    'checkType',
    'alertChannels',
    'created_at',
    'updated_at',
    'state',
    'since',
    'reason',
    'lastState',
  ],
  ...['lastRunAt', 'nextRunAt', 'staleLocations', 'project', 'logicalId', 'drifted', 'projectBindings'],
  // Part of the retry strategy, or files that the scripts of projects came from.
  // The ping URL of a monitor that Terraform creates is a new one.
  ...['heartbeat.pingToken', 'heartbeat.pingUrl'],
  ...['doubleCheck', 'setupScriptPath', 'tearDownScriptPath', 'scriptPath', 'sslCheckDomain'],
]

const table = (resource: string, fields: readonly Field[], defaults: Json = {}): Table => ({
  resource: `checkly_${resource}`,
  fields,
  ignored: observed,
  defaults: { keepEvidence: 'FAILING', ...defaults },
})

const scripted = table('check', check)

export const checkTables = {
  API: scripted,
  BROWSER: scripted,
  MULTI_STEP: scripted,
  HEARTBEAT: table('heartbeat_monitor', [
    ...common,
    block('heartbeat', values('period', 'period_unit', 'grace', 'grace_unit').map(required)),
  ]),
  URL: table(
    'url_monitor',
    monitor(
      [value('url'), always('follow_redirects'), skipSsl, value('ip_family'), assertions],
      [privateLocations, value('should_fail'), ...responseTimes],
    ),
    { 'request.method': 'GET' },
  ),
  TCP: table(
    'tcp_monitor',
    monitor(
      [...values('hostname', 'port', 'data', 'ip_family'), assertions],
      [privateLocations, value('should_fail'), ...responseTimes, value('runtime_id')],
    ),
  ),
  DNS: table(
    'dns_monitor',
    monitor(
      [...values('record_type', 'query', 'name_server', 'port', 'protocol'), assertions],
      responseTimes,
    ),
  ),
  ICMP: table(
    'icmp_monitor',
    monitor(
      [...values('hostname', 'ip_family', 'ping_count'), assertions],
      allAlways('degraded_packet_loss_threshold', 'max_packet_loss_threshold'),
    ),
  ),
  GRPC: table(
    'grpc_monitor',
    monitor(grpcRequest, [privateLocations, value('should_fail'), ...responseTimes, value('runtime_id')]),
    { 'request.grpcConfig.encoding': 'PROTOBUF' },
  ),
  SSL: table(
    'ssl_monitor',
    monitor(sslRequest, [privateLocations, value('should_fail'), ...responseTimes, value('runtime_id')]),
  ),
  TRACEROUTE: table(
    'traceroute_monitor',
    monitor(tracerouteRequest, [value('should_fail'), ...responseTimes]),
  ),
  PLAYWRIGHT: table('playwright_check_suite', suite),
}

function required(field: ValueField): ValueField {
  return { ...field, isAlways: true }
}
