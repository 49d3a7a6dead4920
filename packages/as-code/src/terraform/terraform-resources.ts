// The resources of an account that the provider knows, each with its table and where it is written.
import type { AccountResources } from '../account-resources.ts'
import { channelTitle, type ResourceKind } from '../resource-names.ts'
import { checkTables } from './check-tables.ts'
import { channelTables, groupTable, otherTables } from './other-tables.ts'
import type { Json, Table } from './table.ts'

export interface TerraformResource {
  readonly kind: ResourceKind
  readonly id: string | number
  readonly table: Table
  readonly settings: Json
  /** For people: `check "Orders"`. */
  readonly title: string
  /** Absent: it can't be imported. */
  readonly importId?: string
  readonly file: string
}

const files: Readonly<Record<ResourceKind, string>> = {
  check: 'checks.tf',
  'check-group': 'check_groups.tf',
  'alert-channel': 'alert_channels.tf',
  'private-location': 'private_locations.tf',
  'maintenance-window': 'maintenance_windows.tf',
  dashboard: 'dashboards.tf',
  'status-page-service': 'status_pages.tf',
  'status-page': 'status_pages.tf',
  'status-page-component': 'status_pages.tf',
  'status-page-automation-rule': 'status_pages.tf',
  // `variables.tf` declares the input of Terraform.
  variable: 'environment_variables.tf',
  snippet: 'snippets.tf',
  'client-certificate': 'client_certificates.tf',
  trigger: 'triggers.tf',
}

const words: Readonly<Record<ResourceKind, string>> = {
  check: 'check',
  'check-group': 'check group',
  'alert-channel': 'alert channel',
  'private-location': 'private location',
  'maintenance-window': 'maintenance window',
  dashboard: 'dashboard',
  'status-page-service': 'service',
  'status-page': 'status page',
  'status-page-component': 'component',
  'status-page-automation-rule': 'automation rule',
  variable: 'variable',
  snippet: 'snippet',
  'client-certificate': 'client certificate',
  trigger: 'trigger',
}

type Described = Omit<TerraformResource, 'file' | 'kind' | 'title'> & { name: string }

export interface KnownResources {
  readonly resources: readonly TerraformResource[]
  /** Titles of what the provider has no resource for. */
  readonly unknown: readonly string[]
}

export function listTerraformResources(account: AccountResources): KnownResources {
  const unknown: string[] = []
  const add = <T extends object>(
    kind: ResourceKind,
    all: readonly T[],
    describe: (one: T) => Described | undefined,
    nameOf: (one: T) => string,
  ): TerraformResource[] =>
    all.flatMap((one) => {
      const described = describe(one)
      if (described === undefined) {
        unknown.push(`${words[kind]} "${nameOf(one)}"`)
        return []
      }
      const { name, ...rest } = described
      return [{ kind, ...rest, file: files[kind], title: `${words[kind]} "${name}"` }]
    })
  const simple = <T extends { id: string | number }>(
    kind: ResourceKind & keyof typeof otherTables,
    all: readonly T[],
    nameOf: (one: T) => string,
    importIdOf = (one: T) => String(one.id),
  ) =>
    add(
      kind,
      all,
      (one) => ({
        id: one.id,
        table: otherTables[kind],
        settings: { ...one },
        importId: importIdOf(one),
        name: nameOf(one),
      }),
      nameOf,
    )
  const named = ({ name }: { name: string }) => name
  const componentsOf3 = account.statusPages
    .filter(({ version }) => version === 3)
    .flatMap(({ components }) => components)
  // A component creates its service.
  const ownServices = new Map(componentsOf3.map(({ serviceId, name }) => [serviceId, name]))
  const services = account.services.filter(({ id, name }) => ownServices.get(id) !== name)
  const ofPage = ({ id, statusPageId }: { id: string; statusPageId: string }) => `${statusPageId}/${id}`
  const resources = [
    ...simple('private-location', account.privateLocations, named),
    ...simple('snippet', account.snippets, named),
    ...simple(
      'variable',
      account.variables.map((variable) => ({ ...variable, id: variable.key })),
      ({ key }) => key,
    ).map((one) => ({ ...one, settings: withoutId(one.settings) })),
    ...simple('client-certificate', account.clientCertificates, ({ host }) => host),
    ...add('alert-channel', account.alertChannels, describeChannel, channelTitle),
    ...simple('status-page-service', services, named),
    ...add('status-page', account.statusPages, describePage, named),
    ...simple('status-page-component', componentsOf3, named, ofPage),
    ...simple('status-page-automation-rule', account.automationRules, named, ofPage),
    ...add('check-group', account.checkGroups, describeGroup, named),
    ...add('check', account.checks, describeCheck, named),
    ...simple('maintenance-window', account.maintenanceWindows, named),
    ...simple(
      'dashboard',
      account.dashboards.map((dashboard) => ({ ...dashboard, id: dashboard.dashboardId })),
      ({ header, customUrl }) => header || customUrl || 'dashboard',
    ),
    ...add('trigger', account.triggers, describeTrigger, named),
  ]
  return { resources, unknown }
}

const withoutId = ({ id: _, ...settings }: Json): Json => settings

type ItemOf<K extends keyof AccountResources> = AccountResources[K][number]

function describeCheck(check: ItemOf<'checks'>): Described | undefined {
  const table = tableOfResource('check', { ...check })
  if (table === undefined) return undefined
  return { id: check.id, table, settings: { ...check }, importId: check.id, name: check.name }
}

const checksByType = new Map<unknown, Table>(Object.entries(checkTables))
const channelsByType = new Map<unknown, Table>(Object.entries(channelTables))

/** Undefined: the provider has no resource for the type. */
export function tableOfResource(kind: ResourceKind, settings: Json): Table | undefined {
  switch (kind) {
    case 'check':
      return checksByType.get(settings.checkType)
    case 'alert-channel':
      return channelsByType.get(settings.type)
    case 'check-group':
      return groupTable
    case 'status-page':
      return settings.version === 3 ? otherTables['status-page-v3'] : otherTables['status-page']
    case 'trigger':
      return settings.checkId === null ? otherTables['group-trigger'] : otherTables['check-trigger']
    default:
      return otherTables[kind]
  }
}

function describeChannel(channel: ItemOf<'alertChannels'>): Described | undefined {
  const table = tableOfResource('alert-channel', { ...channel })
  if (table === undefined) return undefined
  const importId = String(channel.id)
  return { id: channel.id, table, settings: { ...channel }, importId, name: channelTitle(channel) }
}

function describeGroup(group: ItemOf<'checkGroups'>): Described {
  const importId = String(group.id)
  return { id: group.id, table: groupTable, settings: { ...group }, importId, name: group.name }
}

function describePage(page: ItemOf<'statusPages'>): Described | undefined {
  const table = tableOfResource('status-page', { ...page })
  return table && { id: page.id, table, settings: { ...page }, importId: page.id, name: page.name }
}

/** The provider reads a trigger by its target, which an import doesn't name. Creating it again returns the existing one. */
function describeTrigger(trigger: ItemOf<'triggers'>): Described | undefined {
  const table = tableOfResource('trigger', { ...trigger })
  return table && { id: trigger.id, table, settings: { ...trigger }, name: trigger.name }
}
