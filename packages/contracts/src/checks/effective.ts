// A check as it really runs: its own settings, and those of its group. Pure, and of no fixed shape: the API
// passes what it presents, the scheduler what it opened.

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

export interface MemberCheck {
  checkType: string
  activated: boolean
  muted: boolean
  tags: string[]
  locations?: string[] | null | undefined
  privateLocations?: string[] | null | undefined
  runParallel?: boolean | undefined
  runtimeId?: string | null | undefined
  doubleCheck?: boolean | undefined
  retryStrategy?: object | null | undefined
  useGlobalAlertSettings?: boolean | undefined
  alertSettings?: object | null | undefined
  alertChannelSubscriptions?: Subscription[] | undefined
  environmentVariables?: Named[] | null | undefined
  request?: object | undefined
}

export interface EnclosingGroup {
  activated: boolean
  muted: boolean
  tags: string[]
  locations: string[]
  privateLocations: string[] | null
  runParallel: boolean | null
  runtimeId: string | null
  doubleCheck: boolean
  /** An object or null (no retries) is enforced; with FALLBACK each check decides. */
  retryStrategy: object | 'FALLBACK' | null
  useGlobalAlertSettings: boolean | null
  alertSettings?: object | null | undefined
  alertChannelSubscriptions: Subscription[]
  environmentVariables: Named[] | null
  apiCheckDefaults: {
    headers: Named[]
    queryParameters: Named[]
    assertions: object[]
    basicAuth: Credentials | null
  }
}

export function applyGroup<C extends MemberCheck>(check: C, group: EnclosingGroup): C {
  const enforced: Partial<MemberCheck> = {
    ...effectivePlaces(check, group),
    ...effectiveRetries(check, group),
    ...effectiveAlerts(check, group),
    ...effectiveVariables(check, group),
    ...effectiveRequest(check, group),
  }
  if (check.runtimeId === null) enforced.runtimeId = group.runtimeId
  // What its type does not have, a group can't give it.
  const known = Object.entries(enforced).filter(([field]) => check[field as keyof MemberCheck] !== undefined)
  return {
    ...check,
    activated: check.activated && group.activated,
    muted: check.muted || group.muted,
    tags: [...new Set([...check.tags, ...group.tags])],
    ...Object.fromEntries(known),
  }
}

/** Both lists of locations are one setting: a group that names one place names all places. */
function effectivePlaces(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  const definition = definitions[check.checkType]
  if (definition === undefined || definition.capacity === null) return {}
  const result: Partial<MemberCheck> = {}
  const isPrivateToo = check.privateLocations !== undefined && 'privateLocations' in definition.input.shape
  const privateLocations = group.privateLocations ?? []
  if (group.locations.length > 0 || (isPrivateToo && privateLocations.length > 0)) {
    result.locations = group.locations
    result.privateLocations = privateLocations
  }
  if (group.runParallel !== null) result.runParallel = group.runParallel
  return result
}

function effectiveRetries(check: MemberCheck, group: EnclosingGroup): Partial<MemberCheck> {
  // choice: a retry strategy rules over doubleCheck, so the group's flag reaches only checks that have none.
  if (group.retryStrategy === 'FALLBACK') return group.doubleCheck ? { doubleCheck: true } : {}
  return { retryStrategy: retriesFor(check, group.retryStrategy), doubleCheck: group.doubleCheck }
}

/** Only an HTTP request knows whether an answer came at all: other types retry on any failure. */
function retriesFor(check: MemberCheck, strategy: object | null): object | null {
  if (strategy === null || definitions[check.checkType]?.retries === 'http') return strategy
  const { onlyOn: _, ...rest } = strategy as { onlyOn?: unknown }
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
  const own = check.request as Partial<EnclosingGroup['apiCheckDefaults']>
  const defaults = group.apiCheckDefaults
  return {
    request: {
      ...check.request,
      headers: ownFirst(own.headers ?? [], defaults.headers, (key) => key.toLowerCase()),
      queryParameters: ownFirst(own.queryParameters ?? [], defaults.queryParameters, (key) => key),
      assertions: [...(own.assertions ?? []), ...defaults.assertions],
      basicAuth: hasCredentials(own.basicAuth) ? own.basicAuth : defaults.basicAuth,
    },
  }
}

function ownFirst(own: Named[], added: Named[], nameOf: (key: string) => string): Named[] {
  const taken = new Set(own.map(({ key }) => nameOf(key)))
  return [...own, ...added.filter(({ key }) => !taken.has(nameOf(key)))]
}

/** Forms send empty texts where nothing was filled in. */
function hasCredentials(auth: Credentials | null | undefined): boolean {
  return auth !== null && auth !== undefined && (auth.username !== '' || auth.password !== '')
}
