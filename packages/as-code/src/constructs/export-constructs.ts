// All resources of an account as a project of constructs, which the published command-line client deploys.
import type { AccountResources, ExportedFile } from '../account-resources.ts'
import { channelTitle, type ResourceKind, type ResourceName, type ResourceNames } from '../resource-names.ts'
import { environmentExample, type SecretNames } from '../secret-names.ts'
import { Expression, Reference, toSource } from '../source.ts'
import { constructOfChannel } from './channel-construct.ts'
import { type CheckScope, constructOfCheck } from './check-construct.ts'
import type { ConstructScope } from './construct-code.ts'
import { ConstructFile, inOrder } from './construct-file.ts'
import { type ExportNote, readmeOf } from './export-readme.ts'
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
import { withoutConstructs } from './without-constructs.ts'

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

export function exportConstructs(
  resources: AccountResources,
  names: ResourceNames,
  secrets: SecretNames,
): ExportedFile[] {
  const project = new Project(resources, names, secrets)
  project.addLocations()
  project.addChannels()
  project.addPages()
  project.addGroups()
  project.addChecks()
  project.addOthers()
  const rest = withoutConstructs(resources, names, secrets)
  const files = [...project.files(), ...rest, environmentExample(secrets), ...projectFiles(secrets)]
  const suites = resources.checks.filter(isSuite).map(({ name }) => name)
  return [
    ...files,
    readmeOf({
      notes: project.notes,
      suites,
      hasSecrets: secrets.list().length > 0,
      hasRest: rest.length > 0,
    }),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

class Project {
  readonly notes: ExportNote[] = []
  readonly #resources: AccountResources
  readonly #names: ResourceNames
  readonly #secrets: SecretNames
  readonly #files = new Map<string, ConstructFile>()
  readonly #scripts = new Map<string, string>()
  readonly #locationIds: ReadonlyMap<string, string>

  constructor(resources: AccountResources, names: ResourceNames, secrets: SecretNames) {
    this.#resources = resources
    this.#names = names
    this.#secrets = secrets
    this.#locationIds = new Map(resources.privateLocations.map(({ slugName, id }) => [slugName, id]))
  }

  files(): ExportedFile[] {
    const constructs = [...this.#files.values()].filter(({ isEmpty }) => !isEmpty)
    return [
      ...constructs.map(({ path, text }) => ({ path, text })),
      ...[...this.#scripts].map(([path, text]) => ({ path, text })),
    ]
  }

  addLocations(): void {
    for (const { one, name } of this.#named('private-location', this.#resources.privateLocations))
      this.#file('private-location').add(
        constructOfLocation(one, this.#scope('private-location', one.name, name)),
        name,
      )
  }

  addChannels(): void {
    for (const { one, name } of this.#named('alert-channel', this.#resources.alertChannels))
      this.#file('alert-channel').add(
        constructOfChannel(one, this.#scope('alert-channel', channelTitle(one), name)),
        name,
      )
  }

  addPages(): void {
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

  addGroups(): void {
    for (const { one, name } of this.#named('check-group', this.#resources.checkGroups)) {
      const scope = this.#scope('check-group', one.name, name)
      const group = { ...scope, channelsOf: () => this.#channelsOf('groupId', one.id, 'check-group') }
      this.#file('check-group').add(constructOfGroup(one, group), name)
      this.#addInactiveSubscriptions('groupId', one.id, name)
    }
  }

  addChecks(): void {
    for (const { one, name } of this.#named(
      'check',
      this.#resources.checks.filter((check) => !isSuite(check)),
    )) {
      this.#file('check').add(constructOfCheck(one, this.#checkScope(one, name)), name)
      this.#addInactiveSubscriptions('checkId', one.id, name)
    }
  }

  addOthers(): void {
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
    const path = paths[kind] ?? ''
    const file = this.#files.get(path) ?? new ConstructFile(path)
    this.#files.set(path, file)
    return file
  }

  #refer(from: ResourceKind, kind: ResourceKind, id: string | number): Expression | undefined {
    const known = kind === 'private-location' ? (this.#locationIds.get(String(id)) ?? id) : id
    const name = this.#names.of(kind, known)
    if (name === undefined) return undefined
    return new Expression(this.#file(from).useFrom(paths[kind] ?? '', name.variable))
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
    const snippets = new Map(this.#resources.snippets.map((snippet) => [snippet.name, snippet.script]))
    return {
      ...this.#scope('check', check.name, name),
      channelsOf: () => this.#channelsOf('checkId', check.id, 'check'),
      script: (script) => {
        const { entrypoint, files } = filesOfScript(script, name.variable, snippets)
        for (const { path, text } of files) this.#scripts.set(path, text)
        return { entrypoint: `../${entrypoint}` }
      },
    }
  }

  #channelsOf(field: 'checkId' | 'groupId', id: string | number, from: ResourceKind): Expression[] {
    return this.#subscribed(field, id, true).map(
      ({ variable }) => new Expression(this.#file(from).useFrom(paths['alert-channel'] ?? '', variable)),
    )
  }

  #subscribed(field: 'checkId' | 'groupId', id: string | number, activated: boolean): ResourceName[] {
    const channels = this.#resources.alertChannels.filter(({ subscriptions }) =>
      subscriptions.some((one) => one[field] === id && one.activated === activated),
    )
    return this.#named('alert-channel', channels).map(({ name }) => name)
  }

  /** The list of channels of a check has only those that are notified. */
  #addInactiveSubscriptions(field: 'checkId' | 'groupId', id: string | number, name: ResourceName): void {
    const kind = field === 'checkId' ? 'check' : 'check-group'
    const file = this.#file(kind)
    for (const channel of this.#subscribed(field, id, false)) {
      const variable = file.useFrom(paths['alert-channel'] ?? '', channel.variable)
      const logicalId = `${kind}-${name.logicalId}-${channel.logicalId}`
      const props = {
        alertChannelId: new Expression(`${variable}.ref()`),
        [field]: new Expression(`${name.variable}.ref()`),
        activated: false,
      }
      file.addStatement(
        `new ${file.use('AlertChannelSubscription')}(${toSource(logicalId)}, ${toSource(props)})`,
      )
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

const isSuite = ({ checkType }: { checkType: unknown }) => checkType === 'PLAYWRIGHT'

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

/** The configuration of the project; a missing secret stops a deployment, or it would be deployed empty. */
function projectFiles(secrets: SecretNames): ExportedFile[] {
  const variables = secrets.list().map(({ variable }) => variable)
  const guard =
    variables.length === 0
      ? ''
      : `const variables = ${toSource(variables)}
const missing = variables.filter((name) => process.env[name] === undefined)
if (missing.length > 0) {
  throw new Error(\`Set these environment variables, for example in .env: \${missing.join(', ')}\`)
}

`
  const config = `import { defineConfig } from 'checkly'

${guard}export default defineConfig({
  projectName: 'Exported resources',
  logicalId: 'exported-resources',
  checks: { checkMatch: 'resources/*.check.ts' },
})
`
  const manifest = {
    name: 'exported-resources',
    version: '1.0.0',
    private: true,
    devDependencies: { checkly: '9.5.0' },
  }
  return [
    { path: '.gitignore', text: '.env\nnode_modules/\n' },
    { path: 'checkly.config.ts', text: config },
    { path: 'package.json', text: `${JSON.stringify(manifest, null, 2)}\n` },
  ]
}
