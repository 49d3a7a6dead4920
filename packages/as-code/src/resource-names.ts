// Names of resources in code: a logical id per kind, and a variable. They are derived from the names of resources, so they
// don't depend on ids and order, and two exports of equal accounts are equal.
import type { AccountResources } from './account-resources.ts'
import { logicalIdOf } from './logical-id.ts'

/** The suffix of variables of each kind, so that a check and a group with one name differ. */
const suffixes = {
  check: 'Check',
  'check-group': 'Group',
  'alert-channel': 'Channel',
  'private-location': 'Location',
  'maintenance-window': 'Window',
  dashboard: 'Dashboard',
  'status-page-service': 'Service',
  'status-page': 'Page',
  'status-page-component': 'Component',
  'status-page-automation-rule': 'Rule',
  variable: 'Variable',
  snippet: 'Snippet',
  'client-certificate': 'Certificate',
  trigger: 'Trigger',
}

export type ResourceKind = keyof typeof suffixes

export interface ResourceName {
  /** Unique among the resources of a kind. */
  readonly logicalId: string
  /** In camel case, of letters and digits; unique among all resources. */
  readonly variable: string
}

export class ResourceNames {
  readonly #names: ReadonlyMap<string, ResourceName>

  constructor(names: ReadonlyMap<string, ResourceName>) {
    this.#names = names
  }

  /** The id of a variable is its key. Undefined: the resource isn't part of the export. */
  of(kind: ResourceKind, id: string | number): ResourceName | undefined {
    return this.#names.get(keyOf(kind, id))
  }
}

interface Unnamed {
  readonly id: string | number
  readonly title: string
  /** The logical id in its project. */
  readonly managedAs?: string | undefined
  /** Orders resources of one name. */
  readonly content: string
}

export function nameResources(resources: AccountResources): ResourceNames {
  const names = new Map<string, ResourceName>()
  const variables = new Set<string>()
  const add = (kind: ResourceKind, all: readonly Unnamed[]) => {
    for (const [id, logicalId] of logicalIdsOf(all)) {
      const variable = unique(variableOf(logicalId, suffixes[kind]), '', variables)
      names.set(keyOf(kind, id), { logicalId, variable })
    }
  }
  const addAll = <T extends { id: string | number }>(
    kind: ResourceKind,
    all: readonly T[],
    titleOf: (one: T) => string,
  ) => {
    add(
      kind,
      all.map((one) => ({
        id: one.id,
        title: titleOf(one),
        managedAs: 'logicalId' in one && typeof one.logicalId === 'string' ? one.logicalId : undefined,
        content: contentOf(one),
      })),
    )
  }
  const pages = new Map(resources.statusPages.map(({ id, name }) => [id, name]))
  addAll('check', resources.checks, ({ name }) => name)
  addAll('check-group', resources.checkGroups, ({ name }) => name)
  addAll('alert-channel', resources.alertChannels, channelTitle)
  addAll('private-location', resources.privateLocations, ({ slugName }) => slugName)
  addAll('maintenance-window', resources.maintenanceWindows, ({ name }) => name)
  addAll(
    'dashboard',
    resources.dashboards.map((dashboard) => ({ ...dashboard, id: dashboard.dashboardId })),
    ({ header, customUrl }) => header || customUrl || 'dashboard',
  )
  addAll('status-page-service', resources.services, ({ name }) => name)
  addAll('status-page', resources.statusPages, ({ name }) => name)
  addAll(
    'status-page-component',
    resources.statusPages.flatMap(({ components }) => components),
    ({ statusPageId, name }) => `${pages.get(statusPageId) ?? ''} ${name}`,
  )
  addAll(
    'status-page-automation-rule',
    resources.automationRules,
    ({ statusPageId, name }) => `${pages.get(statusPageId) ?? ''} ${name}`,
  )
  addAll(
    'variable',
    resources.variables.map((variable) => ({ ...variable, id: variable.key })),
    ({ key }) => key,
  )
  addAll('snippet', resources.snippets, ({ name }) => name)
  addAll('client-certificate', resources.clientCertificates, ({ host }) => host)
  addAll(
    'trigger',
    resources.triggers.map(({ id, name, checkId }) => ({
      id,
      name: `${checkId === null ? 'group' : 'check'} ${name}`,
    })),
    ({ name }) => name,
  )
  return new ResourceNames(names)
}

/** Resources of projects keep their logical ids, unless two projects use the same one. */
function logicalIdsOf(all: readonly Unnamed[]): Map<string | number, string> {
  const uses = new Map<string, number>()
  for (const { managedAs } of all)
    if (managedAs !== undefined) uses.set(managedAs, (uses.get(managedAs) ?? 0) + 1)
  const isKept = ({ managedAs }: Unnamed) => managedAs !== undefined && uses.get(managedAs) === 1
  const taken = new Set(all.filter(isKept).map(({ managedAs }) => managedAs ?? ''))
  const sorted = all.toSorted((a, b) => compare(a.title, b.title) || compare(a.content, b.content))
  return new Map(
    sorted.map((one) => [
      one.id,
      isKept(one) ? (one.managedAs ?? '') : unique(logicalIdOf(one.title), '-', taken),
    ]),
  )
}

function unique(base: string, separator: string, taken: Set<string>): string {
  let name = base
  for (let number = 2; taken.has(name); number += 1) name = `${base}${separator}${number}`
  taken.add(name)
  return name
}

/** `checkout-api`, of a check → `checkoutApiCheck`. */
function variableOf(logicalId: string, suffix: string): string {
  const words = logicalId.match(/[A-Za-z0-9]+/g) ?? []
  const joined = words
    .map((word) => word.toLowerCase())
    .map((word, index) => (index === 0 ? word : capitalize(word)))
    .join('')
  const base = /^[a-z]/.test(joined) ? joined : `item${capitalize(joined)}`
  return base.endsWith(suffix) || base === suffix.toLowerCase() ? base : base + suffix
}

const capitalize = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export function channelTitle({ type, config }: { type: string; config: object }): string {
  const fields = new Map(Object.entries(config))
  const names = ['name', 'serviceName', 'address', 'channel', 'slackChannels', 'number']
  const title = names.map((name) => fields.get(name)).find((value) => value && String(value) !== '')
  return title === undefined ? type.replace('_', ' ').toLowerCase() : String(title)
}

/** Fields that differ between equal resources: ids, times, and what is observed. */
const observed = new Set([
  ...['id', 'ids', 'created_at', 'updated_at', 'subscriptions', 'health', 'alertChannels'],
  ...['pingToken', 'pingUrl', 'state', 'since', 'reason', 'lastState', 'lastRunAt', 'nextRunAt', 'lastSeen'],
  ...['staleLocations', 'agentCount', 'keys', 'project', 'projectBindings', 'drifted'],
  ...['codeBundlePath', 'cacheHash'],
])

function contentOf(resource: object): string {
  return JSON.stringify(resource, (name, value: unknown) => {
    if (observed.has(name) || name.endsWith('Id')) return undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => compare(a, b)))
  })
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const keyOf = (kind: ResourceKind, id: string | number) => `${kind} ${id}`
