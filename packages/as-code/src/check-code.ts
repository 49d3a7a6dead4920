// The request that creates a check. Secret values become environment variables.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { Reference } from './source.ts'

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

/** The last part of the route that creates it. */
const paths: Record<Kind, string> = {
  API: 'api',
  BROWSER: 'browser',
  MULTI_STEP: 'multistep',
  HEARTBEAT: 'heartbeat',
  ICMP: 'icmp',
  TCP: 'tcp',
  PLAYWRIGHT: 'playwright',
  URL: 'url',
  DNS: 'dns',
  AGENTIC: 'agentic',
  GRPC: 'grpc',
  SSL: 'ssl',
  TRACEROUTE: 'traceroute',
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

export function checkAsCurl(check: CheckFields, server: ServerAddress): string {
  return creationAsCurl(server, `/v1/checks/${paths[kindOf(check)]}`, definitionOf(check))
}

function kindOf({ checkType }: CheckFields): Kind {
  if (typeof checkType === 'string' && isKind(checkType)) return checkType
  throw new Error(`There is no code for checks of type ${String(checkType)}`)
}

function isKind(type: string): type is Kind {
  return Object.hasOwn(paths, type)
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
