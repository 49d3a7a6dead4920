// Status pages, services, incidents and dashboards as code. None of them has secret values: keys are left out.
import type {
  getDashboard,
  getDashboardIncident,
  getStatusPage,
  getStatusPageIncident,
  getStatusPageService,
  ResponseOf,
} from '@vedette/contracts'
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { toSource } from './source.ts'

type Dashboard = ResponseOf<typeof getDashboard>
type DashboardIncident = ResponseOf<typeof getDashboardIncident>
type Incident = ResponseOf<typeof getStatusPageIncident>
type Service = ResponseOf<typeof getStatusPageService>
type StatusPage = ResponseOf<typeof getStatusPage>

const constructs = 'checkly/constructs'

const pageFields = [
  ...['name', 'url', 'description', 'customDomain', 'logo', 'logoDark', 'favicon', 'redirectTo'],
  ...['defaultTheme', 'themeColors', 'privacyPolicyLink', 'termsOfServiceLink', 'supportLink'],
  ...['footerText', 'googleAnalyticsTag', 'allowIndexing', 'isPrivate'],
]
const pageDefaults: Record<string, unknown> = { defaultTheme: 'AUTO', allowIndexing: true, isPrivate: false }

/** Fields that differ from their defaults. */
function chosenFields(
  resource: object,
  names: readonly string[],
  defaults: Record<string, unknown>,
): Record<string, unknown> {
  const entries = names.map((name): [string, unknown] => [name, Reflect.get(resource, name)])
  return Object.fromEntries(entries.filter(([name, value]) => !isEmpty(value) && value !== defaults[name]))
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

export function statusPageAsCurl(page: StatusPage, server: ServerAddress): string {
  const cards = page.cards.map(({ name, services }) => ({
    name,
    services: services.map(({ id }) => ({ id })),
  }))
  return creationAsCurl(server, '/v1/status-pages', {
    ...chosenFields(page, pageFields, pageDefaults),
    cards,
  })
}

/** A variable name: components refer to their page and group by it. */
class Name {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** `toSource`, with names of variables as they are. */
function sourceOf(props: Record<string, unknown>): string {
  const names = Object.entries(props).flatMap(([key, value]) =>
    value instanceof Name ? [[key, value.text]] : [],
  )
  const rest = Object.fromEntries(Object.entries(props).filter(([, value]) => !(value instanceof Name)))
  const source = toSource(rest)
  const lines = names.map(([key, text]) => `  ${key}: ${text},\n`).join('')
  return source === '{}' ? `{\n${lines}}` : source.replace('{\n', `{\n${lines}`)
}

/** Version 3 has a construct for each component; version 2 has cards. */
export function statusPageAsConstruct(page: StatusPage): string {
  return page.version === 3 ? asComponents(page) : asCards(page)
}

function asComponents(page: StatusPage): string {
  const { isPrivate, ...props } = chosenFields(page, pageFields, pageDefaults)
  const names = new UniqueNames()
  const pageName = names.add(page.name)
  const variables = new Map<string, string>()
  const components = page.components.map((component) => {
    const variable = names.add(component.name)
    variables.set(component.id, variable)
    const { type, name, description, hidden, configuration, displayOrder, parentId } = component
    const parent = variables.get(parentId ?? '')
    const source = sourceOf({
      statusPage: new Name(pageName),
      ...(parent === undefined ? {} : { parent: new Name(parent) }),
      ...{ type, name, displayOrder },
      ...(description ? { description } : {}),
      ...(hidden ? { hidden } : {}),
      ...configuration,
    })
    return `const ${variable} = new StatusPageV3Component('${logicalIdOf(variable)}', ${source})\n`
  })
  const imported = components.length === 0 ? 'StatusPageV3' : 'StatusPageV3, StatusPageV3Component'
  const isPrivateNote = isPrivate
    ? '// The page is private: make it so in the app, which shows its key.\n'
    : ''
  return [
    `import { ${imported} } from '${constructs}'\n`,
    `${isPrivateNote}const ${pageName} = new StatusPageV3('${logicalIdOf(pageName)}', ${toSource(props)})\n`,
    ...components,
  ].join('\n')
}

function asCards(page: StatusPage): string {
  const names = new UniqueNames()
  const { name, url, customDomain, logo, favicon, redirectTo, defaultTheme } = page
  const props = chosenFields(
    { name, url, customDomain, logo, favicon, redirectTo, defaultTheme },
    pageFields,
    pageDefaults,
  )
  const services = new Map(page.cards.flatMap((card) => card.services.map((one) => [one.id, one.name])))
  const variables = new Map([...services].map(([id, title]) => [id, names.add(title)]))
  const cards = page.cards.map(
    (card) =>
      `    { name: ${toSource(card.name)}, services: [${card.services.map(({ id }) => variables.get(id)).join(', ')}] },\n`,
  )
  const body = toSource(props).replace(/}$/, `  cards: [\n${cards.join('')}  ],\n}`)
  return [
    `import { StatusPage, StatusPageService } from '${constructs}'\n`,
    ...[...services].map(([id, title]) => {
      const variable = variables.get(id) ?? ''
      return `const ${variable} = new StatusPageService('${logicalIdOf(variable)}', { name: ${toSource(title)} })`
    }),
    `\nnew StatusPage('${logicalIdOf(names.add(name))}', ${body})\n`,
  ].join('\n')
}

export function serviceAsConstruct({ name }: Pick<Service, 'name'>): string {
  const id = logicalIdOf(new UniqueNames().add(name))
  return `import { StatusPageService } from '${constructs}'\n\nnew StatusPageService('${id}', { name: ${toSource(name)} })\n`
}

export function serviceAsCurl({ name }: Pick<Service, 'name'>, server: ServerAddress): string {
  return creationAsCurl(server, '/v1/status-pages/services', { name })
}

export function incidentAsCurl(incident: Incident, server: ServerAddress): string {
  const { name, severity, services, incidentUpdates } = incident
  const first = incidentUpdates.at(-1)
  const body = {
    ...{ name, severity, services: services.map(({ id }) => ({ id })) },
    incidentUpdates: [
      {
        ...{ description: first?.description ?? '', status: first?.status ?? 'INVESTIGATING' },
        notifySubscribers: first?.notifySubscribers ?? false,
      },
    ],
  }
  return creationAsCurl(server, '/v1/status-pages/incidents', body)
}

export function dashboardIncidentAsCurl(incident: DashboardIncident, server: ServerAddress): string {
  const { name, impact, dashboardId, startedAt, incidentUpdates } = incident
  const first = incidentUpdates.at(-1)
  const update = { status: first?.status ?? 'INVESTIGATING', description: first?.description ?? '' }
  const body = { name, impact, dashboardId, startedAt, incidentUpdates: [update] }
  return creationAsCurl(server, '/v1/incidents', body)
}

const dashboardFields = [
  ...['header', 'description', 'customUrl', 'customDomain', 'logo', 'favicon', 'link', 'tags'],
  ...[
    'useTagsAndOperator',
    'width',
    'refreshRate',
    'paginate',
    'paginationRate',
    'checksPerPage',
    'hideTags',
  ],
  ...[
    'enableIncidents',
    'expandChecks',
    'showHeader',
    'showCheckRunLinks',
    'showGroupNames',
    'showP95',
    'showP99',
  ],
  ...['isPrivate', 'customCSS'],
]
const dashboardDefaults: Record<string, unknown> = {
  ...{ useTagsAndOperator: false, width: 'FULL', refreshRate: 60, paginate: true, paginationRate: 60 },
  ...{ checksPerPage: 15, hideTags: false, enableIncidents: false, expandChecks: false, showHeader: true },
  ...{ showCheckRunLinks: false, showGroupNames: true, showP95: true, showP99: true, isPrivate: false },
}

export function dashboardAsConstruct(dashboard: Dashboard): string {
  const { customCSS, ...props } = chosenFields(dashboard, dashboardFields, dashboardDefaults)
  const id = logicalIdOf(new UniqueNames().add(dashboard.header ?? 'dashboard'))
  const shown = customCSS === undefined ? props : { ...props, customCSS: { content: customCSS } }
  return `import { Dashboard } from '${constructs}'\n\nnew Dashboard('${id}', ${toSource(shown)})\n`
}

export function dashboardAsCurl(dashboard: Dashboard, server: ServerAddress): string {
  return creationAsCurl(server, '/v1/dashboards', chosenFields(dashboard, dashboardFields, dashboardDefaults))
}

/** `Checkout API` is `checkoutApi`; a second one `checkoutApi2`. */
class UniqueNames {
  readonly #taken = new Set<string>()

  add(title: string): string {
    const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? []
    const joined = words
      .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
      .join('')
    const base = /^[a-z]/.test(joined) ? joined.slice(0, 40) : `item${joined.slice(0, 36)}`
    let name = base
    for (let number = 2; this.#taken.has(name) || reserved.has(name); number++) name = `${base}${number}`
    this.#taken.add(name)
    return name
  }
}

/** Words that a short name may be, but a variable may not. */
const reserved = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'import in instanceof new null return super switch this throw true try typeof var void while with yield let static await'
  ).split(' '),
)

function logicalIdOf(variable: string): string {
  return variable.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
