// A check as a construct. Fields are the props of the published package, release 9.5.
import { Expression, toSource } from '../source.ts'
import {
  assertionsOf,
  basicAuthOf,
  type Construct,
  type ConstructScope,
  doubleCheckStrategy,
  escalationOf,
  Fields,
  isRecord,
  isSet,
  listOf,
  type Props,
  pairsOf,
  retryStrategyOf,
  serverFields,
  shorten,
} from './construct-code.ts'
import { readTestCommand } from './test-command.ts'

/** A check as the API reads it; its fields depend on the type. */
export type CheckFields = Readonly<Record<string, unknown>>

/** What only checks have. */
export interface CheckScope extends ConstructScope {
  /** The channels that are subscribed, as sources. */
  channelsOf(check: CheckFields): readonly Expression[]
  /** A script with its files: `{ entrypoint }`, or `{ content }` where no file can be written. */
  script(script: CheckScript): Props
  /** The props that name the files of a suite; `config`: as its test command has it. */
  suite(check: CheckFields, config: string | undefined): Props
}

export interface CheckScript {
  role: 'script' | 'setup' | 'teardown'
  text: string
  path: unknown
  dependencies: unknown
}

interface Kind {
  construct: string
  /** Fields that are props of the same name. */
  props?: readonly string[]
  /** Monitors never send `doubleCheck`. */
  retries: 'runtime' | 'monitor' | 'none'
  /** Props that need more than a copy. */
  more?: (fields: Fields, scope: CheckScope) => Props
}

const responseTimes = ['degradedResponseTime', 'maxResponseTime']

const kinds: Record<string, Kind> = {
  API: {
    construct: 'ApiCheck',
    props: ['runtimeId', 'intent'],
    retries: 'runtime',
    more: (fields, scope) => ({
      ...thresholdsOf(fields, responseTimes),
      ...hookOf(fields, scope, 'setup'),
      ...hookOf(fields, scope, 'teardown'),
      ...variablesOf(fields, scope),
      request: httpRequestOf(fields.take('request'), scope),
    }),
  },
  BROWSER: {
    construct: 'BrowserCheck',
    props: ['runtimeId', 'intent', 'sslCheckDomain', 'playwrightConfig'],
    retries: 'runtime',
    more: codeOf,
  },
  MULTI_STEP: {
    construct: 'MultiStepCheck',
    props: ['runtimeId', 'intent', 'playwrightConfig'],
    retries: 'runtime',
    more: codeOf,
  },
  HEARTBEAT: {
    construct: 'HeartbeatMonitor',
    retries: 'none',
    more: (fields) => {
      const { period, periodUnit, grace, graceUnit } = Object(fields.take('heartbeat'))
      return { period, periodUnit, grace, graceUnit }
    },
  },
  ICMP: {
    construct: 'IcmpMonitor',
    props: ['intent'],
    retries: 'monitor',
    more: (fields) => ({
      ...thresholdsOf(fields, ['degradedPacketLossThreshold', 'maxPacketLossThreshold']),
      request: requestOf(fields.take('request')),
    }),
  },
  TCP: { construct: 'TcpMonitor', props: ['intent'], retries: 'monitor', more: timedRequestOf },
  DNS: { construct: 'DnsMonitor', props: ['intent'], retries: 'monitor', more: timedRequestOf },
  TRACEROUTE: { construct: 'TracerouteMonitor', retries: 'monitor', more: timedRequestOf },
  URL: {
    construct: 'UrlMonitor',
    props: ['intent'],
    retries: 'monitor',
    more: (fields) => {
      const { method: _, ...request } = Object(fields.take('request'))
      return { ...thresholdsOf(fields, responseTimes), request: requestOf(request) }
    },
  },
  GRPC: {
    construct: 'GrpcMonitor',
    props: ['intent'],
    retries: 'monitor',
    more: (fields, scope) => {
      const { grpcConfig, assertions, ...request } = Object(fields.take('request'))
      const { metadata, ...config } = Object(grpcConfig)
      const pairs = pairsOf(metadata, 'metadata', scope)
      return {
        ...thresholdsOf(fields, responseTimes),
        request: {
          ...shorten(request, requestDefaults),
          grpcConfig: {
            ...shorten(config, { encoding: 'PROTOBUF', serviceDefinition: 'REFLECTION' }),
            ...(pairs.length > 0 && { metadata: pairs }),
          },
          ...assertionsOf(assertions),
        },
      }
    },
  },
  SSL: {
    construct: 'SslMonitor',
    retries: 'monitor',
    more: (fields, scope) => {
      const { sslConfig, sslClientCertificateId, assertions } = Object(fields.take('request'))
      const { hostname, port, ipFamily, handshakeTimeoutMs, ...config } = Object(sslConfig)
      const certificate =
        sslClientCertificateId === null || sslClientCertificateId === undefined
          ? {}
          : { sslClientCertificateId: scope.secret('sslClientCertificateId') }
      return {
        ...thresholdsOf(fields, responseTimes),
        request: {
          ...shorten({ hostname, port, ipFamily }, requestDefaults),
          sslConfig: { ...shorten(config), handshakeTimeout: handshakeTimeoutMs, ...certificate },
          ...assertionsOf(assertions),
        },
      }
    },
  },
  AGENTIC: {
    construct: 'AgenticCheck',
    retries: 'none',
    more: (fields, scope) => {
      const { skills } = Object(fields.take('agentRuntime'))
      // Their values may be secret.
      const keys = listOf(fields.take('environmentVariables')).map(({ key }) => key)
      if (keys.length > 0) scope.note('environmentVariables', keys)
      return {
        prompt: fields.take('prompt'),
        ...(isSet(skills) && { agentRuntime: { skills } }),
      }
    },
  },
  PLAYWRIGHT: {
    construct: 'PlaywrightCheck',
    retries: 'none',
    more: (fields, scope) => {
      fields.ignore(['codeBundlePath', 'cacheHash', 'playwrightVersion', 'workingDir', 'browsers'])
      const { config, ...command } = readTestCommand(String(fields.take('testCommand') ?? ''))
      return {
        ...scope.suite(fields.whole, config),
        ...shorten(command),
        ...installCommandOf(fields, scope),
        ...engineOf(fields, scope),
        ...variablesOf(fields, scope),
      }
    },
  },
}

const observed = [
  ...['checkType', 'alertChannels', 'alertChannelSubscriptions', 'state', 'since', 'reason', 'lastState'],
  ...['lastRunAt', 'nextRunAt', 'staleLocations'],
]

const defaults: Props = { activated: true, muted: false, shouldFail: false, runParallel: false }

/** What a check has that its construct doesn't deploy. */
const restDefaults: Props = { keepEvidence: 'FAILING', aiAutoRepairEnabled: false, runParallel: false }

export function constructOfCheck(check: CheckFields, scope: CheckScope): Construct {
  const kind = kindOf(check)
  const fields = new Fields(check)
  fields.ignore([...serverFields, ...observed])
  const type = String(check.checkType)
  const props: Props = {
    ...fields.takeAll(['name', 'description', 'activated', 'muted', 'tags'], defaults),
    ...(type === 'AGENTIC' ? {} : fields.takeAll(['shouldFail', 'runParallel'], defaults)),
    ...frequencyOf(fields),
    ...locationsOf(fields, type, scope),
    ...referencesOf(fields, check, scope),
    ...alertsOf(fields, scope),
    ...retriesOf(fields, kind, type),
    ...fields.takeAll(kind.props ?? []),
    ...(type === 'BROWSER' || type === 'MULTI_STEP'
      ? fields.takeAll(['aiAutoRepairEnabled'], restDefaults)
      : {}),
    ...kind.more?.(fields, scope),
  }
  fields.noteRest(scope, restDefaults)
  return { construct: scope.use(kind.construct), props }
}

function kindOf({ checkType }: CheckFields): Kind {
  const kind = typeof checkType === 'string' && Object.hasOwn(kinds, checkType) ? kinds[checkType] : undefined
  if (kind === undefined) throw new Error(`There is no code for checks of type ${String(checkType)}`)
  return kind
}

function frequencyOf(fields: Fields): Props {
  const frequency = fields.take('frequency')
  const frequencyOffset = fields.take('frequencyOffset')
  if (frequency === undefined || frequency === null) return {}
  return { frequency: isSet(frequencyOffset) ? { frequency, frequencyOffset } : frequency }
}

/** An agentic check without the prop gets a location of its own. */
function locationsOf(fields: Fields, type: string, scope: ConstructScope): Props {
  const locations = fields.take('locations')
  const slugs = fields.take('privateLocations')
  const isPrivate = Array.isArray(slugs) && slugs.length > 0
  return {
    ...((isSet(locations) || type === 'AGENTIC') && { locations: locations ?? [] }),
    ...(isPrivate && {
      privateLocations: slugs.map(String).map((slug) => scope.refer('private-location', slug) ?? slug),
    }),
  }
}

function referencesOf(fields: Fields, check: CheckFields, scope: CheckScope): Props {
  const groupId = fields.take('groupId')
  const incident = fields.take('triggerIncident')
  const alertChannels = scope.channelsOf(check)
  const group = typeof groupId === 'number' ? scope.refer('check-group', groupId) : undefined
  return {
    ...(group !== undefined && { group }),
    ...(alertChannels.length > 0 && { alertChannels }),
    ...(isRecord(incident) && { triggerIncident: incidentOf(incident, scope) }),
  }
}

function incidentOf({ serviceId, ...incident }: Record<string, unknown>, scope: ConstructScope): Props {
  return { service: scope.refer('status-page-service', String(serviceId)), ...incident }
}

function alertsOf(fields: Fields, scope: ConstructScope): Props {
  const settings = fields.take('alertSettings')
  const isGlobal = fields.take('useGlobalAlertSettings') !== false
  return isGlobal ? {} : { alertEscalationPolicy: escalationOf(settings, scope) }
}

function retriesOf(fields: Fields, { retries }: Kind, type: string): Props {
  const strategy = fields.take('retryStrategy')
  const doubleCheck = fields.take('doubleCheck') === true
  if (retries === 'none') return {}
  if (isRecord(strategy)) {
    const hasCauses = type === 'API' || type === 'URL'
    return { retryStrategy: retryStrategyOf(strategy, hasCauses) }
  }
  if (retries === 'runtime') return doubleCheck ? {} : { retryStrategy: { type: 'NO_RETRIES' } }
  return doubleCheck ? { retryStrategy: doubleCheckStrategy } : {}
}

/** Null disables a threshold; without the prop it has a default. */
function thresholdsOf(fields: Fields, names: readonly string[]): Props {
  const entries = names.map((name) => [name, fields.take(name)])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function variablesOf(fields: Fields, scope: ConstructScope): Props {
  const environmentVariables = pairsOf(fields.take('environmentVariables'), '', scope)
  return environmentVariables.length === 0 ? {} : { environmentVariables }
}

const requestDefaults: Props = { followRedirects: true, skipSSL: false, ipFamily: 'IPv4', bodyType: 'NONE' }

function requestOf(request: unknown): Props {
  const { assertions, ...rest } = Object(request)
  return { ...shorten(rest, requestDefaults), ...assertionsOf(assertions) }
}

function timedRequestOf(fields: Fields): Props {
  return { ...thresholdsOf(fields, responseTimes), request: requestOf(fields.take('request')) }
}

function httpRequestOf(request: unknown, scope: ConstructScope): Props {
  const { headers, queryParameters, basicAuth, assertions, ...rest } = Object(request)
  const shownHeaders = pairsOf(headers, 'header', scope)
  const shownParameters = pairsOf(queryParameters, 'parameter', scope)
  return {
    ...shorten(rest, requestDefaults),
    ...(shownHeaders.length > 0 && { headers: shownHeaders }),
    ...(shownParameters.length > 0 && { queryParameters: shownParameters }),
    ...basicAuthOf(basicAuth, scope),
    ...assertionsOf(assertions),
  }
}

/** The exported project is one of npm. */
function installCommandOf(fields: Fields, scope: ConstructScope): Props {
  const { installCommand } = fields.takeAll(['installCommand'])
  if (installCommand === undefined) return {}
  if (!/^(pnpm|yarn|bun)\b/.test(String(installCommand))) return { installCommand }
  scope.note('installCommand', installCommand)
  return {}
}

function engineOf(fields: Fields, scope: ConstructScope): Props {
  const engine = fields.take('engine')
  const version = fields.take('engineVersion')
  if (engine !== 'node' && engine !== 'bun') return {}
  return { engine: new Expression(`${scope.use('Engine')}.${engine}(${toSource(String(version ?? ''))})`) }
}

function codeOf(fields: Fields, scope: CheckScope): Props {
  const text = String(fields.take('script') ?? '')
  const path = fields.take('scriptPath')
  const dependencies = fields.take('dependencies')
  return {
    ...variablesOf(fields, scope),
    code: scope.script({ role: 'script', text, path, dependencies }),
  }
}

const hooks = {
  setup: { prop: 'setupScript', local: 'localSetupScript', snippetId: 'setupSnippetId' },
  teardown: { prop: 'tearDownScript', local: 'localTearDownScript', snippetId: 'tearDownSnippetId' },
}

/** A snippet that runs before or after has no prop: its text becomes the script. */
function hookOf(fields: Fields, scope: CheckScope, role: 'setup' | 'teardown'): Props {
  const { prop, local, snippetId } = hooks[role]
  const own = fields.take(local)
  const path = fields.take(`${prop}Path`)
  const dependencies = fields.take(`${prop}Dependencies`)
  const snippet = snippetOf(fields.take(snippetId), snippetId, scope)
  const text = isSet(own) ? own : snippet
  return isSet(text) ? { [prop]: scope.script({ role, text: String(text), path, dependencies }) } : {}
}

export function snippetOf(id: unknown, field: string, scope: ConstructScope): string | undefined {
  if (typeof id !== 'number') return undefined
  const text = scope.snippet(id)
  if (text === undefined) scope.note(field, id)
  return text
}
