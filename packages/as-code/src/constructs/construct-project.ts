// Resources as files of constructs.
import type { AccountResources, ExportedFile } from '../account-resources.ts'
import { channelTitle, type ResourceKind, type ResourceName, type ResourceNames } from '../resource-names.ts'
import type { SecretNames } from '../secret-names.ts'
import { Expression, Reference, toSource } from '../source.ts'
import { constructOfChannel } from './channel-construct.ts'
import { type CheckScope, type CheckScript, constructOfCheck } from './check-construct.ts'
import { type ConstructScope, listOf, type Props } from './construct-code.ts'
import { ConstructFile, inOrder } from './construct-file.ts'
import { constructOfGroup } from './group-construct.ts'
import {
  constructOfComponent,
  constructOfDashboard,
  constructOfLocation,
  constructOfPage,
  constructOfRule,
  constructOfService,
  constructOfWindow,
} from './page-constructs.ts'
import { filesOfScript } from './script-files.ts'
import { SuiteFiles } from './suite-files.ts'

const pages = 'resources/status-pages.check.ts'

const paths: Partial<Record<ResourceKind, string>> = {
  'private-location': 'resources/private-locations.check.ts',
  'alert-channel': 'resources/alert-channels.check.ts',
  'check-group': 'resources/check-groups.check.ts',
  check: 'resources/checks.check.ts',
  'status-page-service': pages,
  'status-page': pages,
  'status-page-component': pages,
  'status-page-automation-rule': pages,
  dashboard: 'resources/dashboards.check.ts',
  'maintenance-window': 'resources/maintenance-windows.check.ts',
}

/** Classes whose `fromId` names a resource that isn't in the project. */
const namedById: Partial<Record<ResourceKind, string>> = {
  'alert-channel': 'AlertChannel',
  'check-group': 'CheckGroupV2',
  'status-page-service': 'StatusPageService',
  'status-page': 'StatusPageV3',
  'status-page-component': 'StatusPageV3Component',
}

/** A setting that no construct has. */
export interface ConstructNote {
  resource: string
  field: string
  value: unknown
}

/** An excerpt is one file: scripts are part of their checks, and other resources of the account are named by id. */
type Extent = 'account' | 'excerpt'

type SubscriberKind = 'check' | 'check-group'

interface Subscriber {
  readonly alertChannelSubscriptions?:
    | readonly { readonly alertChannelId: number; readonly activated: boolean }[]
    | undefined
}

export class ConstructProject {
  readonly notes: ConstructNote[] = []
  readonly #resources: AccountResources
  readonly #names: ResourceNames
  readonly #secrets: SecretNames
  readonly #extent: Extent
  readonly #files = new Map<string, ConstructFile>()
  readonly #scripts = new Map<string, string>()
  readonly #suites: SuiteFiles
  readonly #locationIds: ReadonlyMap<string, string>

  /** `suites`: has the files of all suites, unless it is an excerpt. */
  constructor(
    resources: AccountResources,
    names: ResourceNames,
    secrets: SecretNames,
    extent: Extent,
    suites = new SuiteFiles(new Map()),
  ) {
    this.#resources = resources
    this.#names = names
    this.#secrets = secrets
    this.#extent = extent
    this.#suites = suites
    this.#locationIds = new Map(resources.privateLocations.map(({ slugName, id }) => [slugName, id]))
    this.#addLocations()
    this.#addChannels()
    this.#addPages()
    this.#addGroups()
    this.#addChecks()
    this.#addOthers()
  }

  files(): ExportedFile[] {
    const constructs = [...this.#files.values()].filter(({ isEmpty }) => !isEmpty)
    return [
      ...constructs.map(({ path, text }) => ({ path, text })),
      ...[...this.#scripts].map(([path, text]) => ({ path, text })),
      ...this.#suites.files,
    ]
  }

  #addLocations(): void {
    for (const { one, name } of this.#named('private-location', this.#resources.privateLocations))
      this.#file('private-location').add(
        constructOfLocation(one, this.#scope('private-location', one.name, name)),
        name,
      )
  }

  #addChannels(): void {
    for (const { one, name } of this.#named('alert-channel', this.#resources.alertChannels))
      this.#file('alert-channel').add(
        constructOfChannel(one, this.#scope('alert-channel', channelTitle(one), name)),
        name,
      )
  }

  #addPages(): void {
    const { statusPages, automationRules } = this.#resources
    for (const { one, name } of this.#named('status-page-service', servicesOf(this.#resources)))
      this.#file('status-page').add(
        constructOfService(one, this.#scope('status-page-service', one.name, name)),
        name,
      )
    for (const { one: page, name } of this.#named('status-page', statusPages)) {
      const scope = this.#scope('status-page', page.name, name)
      this.#file('status-page').add(constructOfPage(page, scope), name)
      if (page.version !== 3) continue
      this.#noteSharedServices(page, scope)
      // In the order of the page: groups come before what is in them.
      for (const component of page.components) {
        const own = this.#names.of('status-page-component', component.id)
        if (own !== undefined) this.#file('status-page').add(constructOfComponent(component, scope), own)
      }
    }
    const versionOf = new Map(statusPages.map(({ id, version }) => [id, version]))
    for (const { one, name } of this.#named('status-page-automation-rule', automationRules)) {
      const scope = this.#scope('status-page-automation-rule', one.name, name)
      if (versionOf.get(one.statusPageId) === 3)
        this.#file('status-page').add(constructOfRule(one, scope), name)
      else scope.note('the whole rule', 'its page has version 2')
    }
  }

  #addGroups(): void {
    for (const { one, name } of this.#named('check-group', this.#resources.checkGroups)) {
      const scope = this.#scope('check-group', one.name, name)
      const group = { ...scope, channelsOf: () => this.#channelsOf('check-group', one) }
      this.#file('check-group').add(constructOfGroup(one, group), name)
      this.#addInactiveSubscriptions('check-group', one, name)
    }
  }

  #addChecks(): void {
    for (const { one, name } of this.#named('check', this.#resources.checks)) {
      this.#file('check').add(constructOfCheck(one, this.#checkScope(one, name)), name)
      this.#addInactiveSubscriptions('check', one, name)
    }
  }

  #addOthers(): void {
    const dashboards = inOrder(this.#resources.dashboards, ({ dashboardId }) =>
      this.#names.of('dashboard', dashboardId),
    )
    for (const { one, name } of dashboards)
      this.#file('dashboard').add(
        constructOfDashboard(one, this.#scope('dashboard', one.header ?? name.logicalId, name)),
        name,
      )
    for (const { one, name } of this.#named('maintenance-window', this.#resources.maintenanceWindows))
      this.#file('maintenance-window').add(
        constructOfWindow(one, this.#scope('maintenance-window', one.name, name)),
        name,
      )
  }

  #named<T extends { id: string | number }>(kind: ResourceKind, all: readonly T[]) {
    return inOrder(all, ({ id }) => this.#names.of(kind, id))
  }

  #file(kind: ResourceKind): ConstructFile {
    const path = this.#pathOf(kind)
    const file = this.#files.get(path) ?? new ConstructFile(path)
    this.#files.set(path, file)
    return file
  }

  #pathOf(kind: ResourceKind): string {
    return this.#extent === 'excerpt' ? 'resources.check.ts' : (paths[kind] ?? '')
  }

  #refer(from: ResourceKind, kind: ResourceKind, id: string | number): Expression | undefined {
    const known = kind === 'private-location' ? (this.#locationIds.get(String(id)) ?? id) : id
    const name = this.#names.of(kind, known)
    if (name !== undefined) return new Expression(this.#file(from).useFrom(this.#pathOf(kind), name.variable))
    const construct = namedById[kind]
    if (this.#extent === 'account' || construct === undefined) return undefined
    return new Expression(`${this.#file(from).use(construct)}.fromId(${toSource(id)})`)
  }

  #scope(kind: ResourceKind, title: string, { logicalId }: ResourceName): ConstructScope {
    const resource = `${kind.replaceAll('-', ' ')} "${title}"`
    return {
      use: (construct) => this.#file(kind).use(construct),
      refer: (other, id) => this.#refer(kind, other, id),
      secret: (field) => new Reference(this.#secrets.nameOf({ resource, logicalId }, field)),
      snippet: (id) => this.#resources.snippets.find((snippet) => snippet.id === id)?.script,
      note: (field, value) => this.notes.push({ resource, field, value }),
    }
  }

  #checkScope(check: AccountResources['checks'][number], name: ResourceName): CheckScope {
    const scope = this.#scope('check', check.name, name)
    return {
      ...scope,
      channelsOf: () => this.#channelsOf('check', check),
      script: (script) =>
        this.#extent === 'excerpt' ? inlineScript(script, scope) : this.#addScript(script, name),
      suite: (suite, config = 'playwright.config.ts') =>
        this.#extent === 'excerpt'
          ? { playwrightConfigPath: `./${config}` }
          : this.#suites.add(suite, name.logicalId, scope.note),
    }
  }

  #addScript(script: CheckScript, { variable }: ResourceName): Props {
    const snippets = new Map(this.#resources.snippets.map((snippet) => [snippet.name, snippet.script]))
    const { entrypoint, files } = filesOfScript(script, variable, snippets)
    for (const { path, text } of files) this.#scripts.set(path, text)
    return { entrypoint: `../${entrypoint}` }
  }

  #channelsOf(from: SubscriberKind, subscriber: Subscriber): Expression[] {
    return this.#subscribed(from, subscriber, true).map(({ channel }) => channel)
  }

  /** In the order of logical ids. */
  #subscribed(from: SubscriberKind, { alertChannelSubscriptions }: Subscriber, activated: boolean) {
    const ids = (alertChannelSubscriptions ?? [])
      .filter((subscription) => subscription.activated === activated)
      .map(({ alertChannelId }) => alertChannelId)
    const named = inOrder(ids, (id) => this.#names.of('alert-channel', id) ?? nameById(id))
    return named.flatMap(({ one: id, name: { logicalId } }) => {
      const channel = this.#refer(from, 'alert-channel', id)
      return channel === undefined ? [] : [{ channel, logicalId }]
    })
  }

  /** The list of channels of a check has only those that are notified. */
  #addInactiveSubscriptions(from: SubscriberKind, subscriber: Subscriber, name: ResourceName): void {
    const file = this.#file(from)
    for (const { channel, logicalId } of this.#subscribed(from, subscriber, false)) {
      const props = {
        alertChannelId: new Expression(`${channel.text}.ref()`),
        [from === 'check' ? 'checkId' : 'groupId']: new Expression(`${name.variable}.ref()`),
        activated: false,
      }
      const own = toSource(`${from}-${name.logicalId}-${logicalId}`)
      file.addStatement(`new ${file.use('AlertChannelSubscription')}(${own}, ${toSource(props)})`)
    }
  }

  /** A component of an export has a service of its own. */
  #noteSharedServices(page: AccountResources['statusPages'][number], scope: ConstructScope): void {
    const services = new Map(servicesOf(this.#resources).map(({ id, name }) => [id, name]))
    for (const { name, serviceId } of page.components) {
      const shared = services.get(serviceId ?? '')
      if (shared !== undefined) scope.note(`component ${name}`, `shows the service ${shared}`)
    }
  }
}

/** As the command-line client names a channel that isn't in the project. */
function nameById(id: number): ResourceName {
  return { logicalId: `alert-channel-${id}`, variable: '' }
}

/** A file can't hold the other files that a script imports. */
function inlineScript({ role, text, dependencies }: CheckScript, scope: ConstructScope): Props {
  const paths = listOf(dependencies).map(({ path }) => path)
  if (paths.length > 0) scope.note(`files of the ${role}`, paths)
  return { content: text }
}

/** Without those that exist for one component of a page only: its construct creates them. */
function servicesOf({ services, statusPages, checks }: AccountResources): AccountResources['services'] {
  const components = statusPages.flatMap((page) =>
    page.components.map(({ serviceId, name }) => ({ serviceId, name, isOwner: page.version === 3 })),
  )
  const used = new Set(
    checks.map((check) => Reflect.get(Object(Reflect.get(check, 'triggerIncident')), 'serviceId')),
  )
  return services.filter(({ id, name }) => {
    const [first, ...others] = components.filter(({ serviceId }) => serviceId === id)
    const isOwned = first?.isOwner === true && first.name === name && others.length === 0
    return !isOwned || used.has(id)
  })
}
