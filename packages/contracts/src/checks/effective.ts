// A check as it runs: its own settings merged with those of its group. Pure and generic: the API passes serialized checks,
// the scheduler unsealed ones.
import { keysOf } from '../core/objects.ts'
import type { CheckDefinition } from './definition.ts'
import { checkTypes } from './index.ts'

const definitions: Readonly<Record<string, CheckDefinition>> = checkTypes

interface Named {
  key: string
}

interface Credentials {
  username: string
  password: string
}

interface Subscription {
  alertChannelId: number
  activated: boolean
}

interface Retries {
  onlyOn?: unknown
  [field: string]: unknown
}

interface RequestDefaults {
  headers: Named[]
  queryParameters: Named[]
  assertions: object[]
  basicAuth: Credentials | null
}

export interface MemberCheck {
  checkType: string
  activated: boolean
  muted: boolean
  mutedUntil?: string | null | undefined
  tags: string[]
  locations?: string[] | null | undefined
  privateLocations?: string[] | null | undefined
  runParallel?: boolean | undefined
  runtimeId?: string | null | undefined
  doubleCheck?: boolean | undefined
  retryStrategy?: Retries | null | undefined
  useGlobalAlertSettings?: boolean | undefined
  alertSettings?: object | null | undefined
  alertChannelSubscriptions?: Subscription[] | undefined
  environmentVariables?: Named[] | null | undefined
  request?: Partial<RequestDefaults> | undefined
}

export interface EnclosingGroup {
  activated: boolean
  muted: boolean
  mutedUntil?: string | null | undefined
  tags: string[]
  locations: string[]
  privateLocations: string[] | null
  runParallel: boolean | null
  runtimeId: string | null
  doubleCheck: boolean
  /** An object or null (no retries) is enforced; with FALLBACK each check decides. */
  retryStrategy: Retries | 'FALLBACK' | null
  useGlobalAlertSettings: boolean | null
  alertSettings?: object | null | undefined
  alertChannelSubscriptions: Subscription[]
  environmentVariables: Named[] | null
  apiCheckDefaults: RequestDefaults
}

export function applyGroup<C extends MemberCheck>(check: C, group: EnclosingGroup): C {
  const enforced: Partial<MemberCheck> = {
    ...effectiveLocations(check, group),
    ...effectiveRetries(check, group),
    ...effectiveAlerts(check, group),
    ...effectiveVariables(check, group),
    ...effectiveRequest(check, group),
  }
  if (check.runtimeId === null) enforced.runtimeId = group.runtimeId
  // A group doesn't add fields that the type doesn't have.
  for (const field of keysOf(enforced)) if (check[field] === undefined) delete enforced[field]
  return {
    ...check,
    activated: check.activated && group.activated,
    muted: check.muted || group.muted,
    ...(group.mutedUntil ? { mutedUntil: laterOf(check.mutedUntil, group.mutedUntil) } : {}),
    tags: [...new Set([...check.tags, ...group.tags])],
    ...enforced,
  }
}

function laterOf(one: string | null | undefined, other: string): string {
  return one && Date.parse(one) > Date.parse(other) ? one : other
}

/** Both lists of locations are one setting: a group that sets one of them replaces both. */
function effectiveLocations(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  const definition = definitions[check.checkType]
  if (definition === undefined || definition.capacity === null) return {}
  const result: Partial<MemberCheck> = {}
  const hasPrivate = check.privateLocations !== undefined && 'privateLocations' in definition.input.shape
  const privateLocations = group.privateLocations ?? []
  if (group.locations.length > 0 || (hasPrivate && privateLocations.length > 0)) {
    result.locations = group.locations
    result.privateLocations = privateLocations
  }
  if (group.runParallel !== null) result.runParallel = group.runParallel
  return result
}

function effectiveRetries(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  // choice: a retry strategy takes precedence over doubleCheck, so the group's flag affects only checks without one.
  if (group.retryStrategy === 'FALLBACK') return group.doubleCheck ? { doubleCheck: true } : {}
  return { retryStrategy: retriesFor(check, group.retryStrategy), doubleCheck: group.doubleCheck }
}

/** Only HTTP requests distinguish network errors from other failures: other types retry on any failure. */
function retriesFor(check: MemberCheck, strategy: Retries | null): Retries | null {
  if (strategy === null || definitions[check.checkType]?.retries === 'http') return strategy
  const { onlyOn: _, ...rest } = strategy
  return rest
}

function effectiveAlerts(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  const isGlobal = group.useGlobalAlertSettings === true
  if (!isGlobal && !group.alertSettings) return {}
  return {
    useGlobalAlertSettings: isGlobal,
    alertSettings: isGlobal ? check.alertSettings : group.alertSettings,
    alertChannelSubscriptions: group.alertChannelSubscriptions,
  }
}

function effectiveVariables(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  const variables = group.environmentVariables ?? []
  if (variables.length === 0) return {}
  return { environmentVariables: ownFirst(check.environmentVariables ?? [], variables, (key) => key) }
}

function effectiveRequest(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  if (check.checkType !== 'API' || check.request === undefined) return {}
  const own = check.request
  const defaults = group.apiCheckDefaults
  return {
    request: {
      ...own,
      headers: ownFirst(own.headers ?? [], defaults.headers, (key) => key.toLowerCase()),
      queryParameters: ownFirst(own.queryParameters ?? [], defaults.queryParameters, (key) => key),
      assertions: [...(own.assertions ?? []), ...defaults.assertions],
      basicAuth: hasCredentials(own.basicAuth) ? own.basicAuth : defaults.basicAuth,
    },
  }
}

function ownFirst(own: Named[], added: Named[], nameOf: (key: string) => string): Named[] {
  const names = new Set(own.map(({ key }) => nameOf(key)))
  return [...own, ...added.filter(({ key }) => !names.has(nameOf(key)))]
}

/** Forms send empty texts for fields that aren't filled in. */
function hasCredentials(auth: Credentials | null | undefined): boolean {
  return auth !== null && auth !== undefined && (auth.username !== '' || auth.password !== '')
}
