// A check as code: the request that creates it, and the construct. Neither contains a secret value: secrets become
// environment variables.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { logicalIdOf } from './logical-id.ts'
import { Reference, toSource } from './source.ts'

/** A check as the API reads it; its fields depend on the type. */
export type CheckFields = Readonly<Record<string, unknown>>

type Kind =
  | 'API'
  | 'BROWSER'
  | 'MULTI_STEP'
  | 'HEARTBEAT'
  | 'ICMP'
  | 'TCP'
  | 'PLAYWRIGHT'
  | 'URL'
  | 'DNS'
  | 'AGENTIC'
  | 'GRPC'
  | 'SSL'
  | 'TRACEROUTE'

/** The construct, and the last part of the route that creates it. */
const kinds: Record<Kind, { construct: string; path: string }> = {
  API: { construct: 'ApiCheck', path: 'api' },
  BROWSER: { construct: 'BrowserCheck', path: 'browser' },
  MULTI_STEP: { construct: 'MultiStepCheck', path: 'multistep' },
  HEARTBEAT: { construct: 'HeartbeatMonitor', path: 'heartbeat' },
  ICMP: { construct: 'IcmpMonitor', path: 'icmp' },
  TCP: { construct: 'TcpMonitor', path: 'tcp' },
  PLAYWRIGHT: { construct: 'PlaywrightCheck', path: 'playwright' },
  URL: { construct: 'UrlMonitor', path: 'url' },
  DNS: { construct: 'DnsMonitor', path: 'dns' },
  AGENTIC: { construct: 'AgenticCheck', path: 'agentic' },
  GRPC: { construct: 'GrpcMonitor', path: 'grpc' },
  SSL: { construct: 'SslMonitor', path: 'ssl' },
  TRACEROUTE: { construct: 'TracerouteMonitor', path: 'traceroute' },
}

/** Set by the server, or ids of other resources of this account. */
const omitted = new Set([
  ...['id', 'checkType', 'alertChannels', 'created_at', 'updated_at'],
  ...['state', 'since', 'reason', 'lastState', 'lastRunAt', 'nextRunAt', 'staleLocations', 'mutedUntil'],
  ...[
    'groupId',
    'groupOrder',
    'alertChannelSubscriptions',
    'pingToken',
    'pingUrl',
    'codeBundlePath',
    'cacheHash',
  ],
])

const defaults: CheckFields = {
  activated: true,
  muted: false,
  doubleCheck: true,
  shouldFail: false,
  runParallel: false,
  useGlobalAlertSettings: true,
  followRedirects: true,
  skipSSL: false,
  ipFamily: 'IPv4',
  bodyType: 'NONE',
  locked: false,
  keepEvidence: 'FAILING',
}

export function checkAsConstruct(check: CheckFields): string {
  return checksAsConstructs([check])
}

/** A file with all of them. */
export function checksAsConstructs(checks: readonly CheckFields[]): string {
  const names = [...new Set(checks.map((check) => kinds[kindOf(check)].construct))].sort()
  const taken = new Set<string>()
  const definitions = checks.map((check) => constructOf(check, taken))
  return `import { ${names.join(', ')} } from 'checkly/constructs'\n\n${definitions.join('\n')}`
}

function constructOf(check: CheckFields, taken: Set<string>): string {
  const { construct } = kinds[kindOf(check)]
  const { script, ...fields } = definitionOf(check)
  const props = typeof script === 'string' ? { ...fields, code: { content: script } } : fields
  const base = logicalIdOf(String(check.name ?? 'check'))
  let id = base
  for (let number = 2; taken.has(id); number += 1) id = `${base}-${number}`
  taken.add(id)
  return `new ${construct}('${id}', ${toSource(props)})\n`
}

export function checkAsCurl(check: CheckFields, server: ServerAddress): string {
  return creationAsCurl(server, `/v1/checks/${kinds[kindOf(check)].path}`, definitionOf(check))
}

function kindOf({ checkType }: CheckFields): Kind {
  if (typeof checkType === 'string' && isKind(checkType)) return checkType
  throw new Error(`There is no code for checks of type ${String(checkType)}`)
}

function isKind(type: string): type is Kind {
  return Object.hasOwn(kinds, type)
}

/** Without what the server sets, defaults, and secret values. */
export function definitionOf(check: CheckFields): Record<string, unknown> {
  const usesOwnAlerts = check.useGlobalAlertSettings === false
  const entries = Object.entries(check).filter(([name]) => usesOwnAlerts || name !== 'alertSettings')
  return Object.fromEntries(entries.flatMap(([name, value]) => shownEntry(name, value)))
}

function shownEntry(name: string, value: unknown): [string, unknown][] {
  if (omitted.has(name) || isEmpty(value) || defaults[name] === value) return []
  if (name === 'basicAuth' && isRecord(value))
    return [[name, { ...value, password: new Reference('PASSWORD') }]]
  return [[name, shownValue(value)]]
}

function shownValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownValue)
  if (!isRecord(value)) return value
  const shown = isSecret(value) ? { ...value, value: new Reference(variableOf(String(value.key))) } : value
  return Object.fromEntries(Object.entries(shown).flatMap(([name, one]) => shownEntry(name, one)))
}

/** A variable or header that is marked secret or locked. */
function isSecret(value: Record<string, unknown>): boolean {
  return 'key' in value && (value.secret === true || value.locked === true)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference)
}

export const variableOf = (key: string) => key.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
