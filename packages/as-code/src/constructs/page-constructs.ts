// Status pages, their components and rules, services, dashboards, maintenance windows and private locations as constructs.
import type { AccountResources } from '../account-resources.ts'
import { Expression } from '../source.ts'
import {
  type Construct,
  type ConstructScope,
  Fields,
  isSet,
  type Props,
  serverFields,
} from './construct-code.ts'

type StatusPage = AccountResources['statusPages'][number]
type Component = StatusPage['components'][number]
type Rule = AccountResources['automationRules'][number]

const pageDefaults: Props = { defaultTheme: 'AUTO', allowIndexing: true, isPrivate: false, whiteLabel: false }
const pageObserved = ['customDomainStatus', 'keys', 'incidents', 'components', 'version', 'cards']
const cardPageProps = ['name', 'url', 'customDomain', 'logo', 'redirectTo', 'favicon', 'defaultTheme']
const componentPageProps = [
  ...['name', 'url', 'description', 'customDomain', 'logo', 'logoDark', 'redirectTo', 'favicon'],
  ...['defaultTheme', 'privacyPolicyLink', 'termsOfServiceLink', 'supportLink', 'footerText'],
  ...['googleAnalyticsTag', 'allowIndexing', 'themeColors'],
]

/** Version 3 has a construct for each component; version 2 has cards. */
export function constructOfPage(page: StatusPage, scope: ConstructScope): Construct {
  const fields = new Fields(page)
  fields.ignore([...serverFields, ...pageObserved])
  const hasComponents = page.version === 3
  const props = fields.takeAll(hasComponents ? componentPageProps : cardPageProps, pageDefaults)
  fields.noteRest(scope, pageDefaults)
  if (hasComponents) return { construct: scope.use('StatusPageV3'), props }
  noteTree(page, scope)
  const cards = page.cards.map(({ name, services }) => ({
    name,
    services: services.map(({ id }) => scope.refer('status-page-service', id)),
  }))
  return { construct: scope.use('StatusPage'), props: { ...props, cards } }
}

/** Cards are names with services: anything else of their components is noted. */
function noteTree({ components }: StatusPage, scope: ConstructScope): void {
  const cards = new Set(
    components.filter(({ type, parentId }) => type === 'GROUP' && parentId === null).map(({ id }) => id),
  )
  for (const { name, type, parentId, description, hidden, configuration } of components) {
    const isPlaced = type === 'GROUP' ? parentId === null : cards.has(parentId ?? '')
    const { expandedByDefault = true, showHistoricalData = true } = configuration
    if (isPlaced && !hidden && !description && expandedByDefault && showHistoricalData) continue
    scope.note(`component ${name}`, { type, hidden, description, configuration })
  }
}

export function constructOfComponent(component: Component, scope: ConstructScope): Construct {
  const { statusPageId, parentId, type, name, description, hidden, displayOrder, configuration } = component
  const parent = parentId === null ? undefined : scope.refer('status-page-component', parentId)
  const props = {
    statusPage: scope.refer('status-page', statusPageId),
    ...(parent !== undefined && { parent }),
    ...{ type, name, displayOrder },
    ...(description ? { description } : {}),
    ...(hidden && { hidden }),
    ...configuration,
  }
  return { construct: scope.use('StatusPageV3Component'), props }
}

export function constructOfRule(rule: Rule, scope: ConstructScope): Construct {
  const { statusPageId, name, enabled, tags, firstUpdate, lastUpdate, notifySubscribers } = rule
  const props = {
    statusPage: scope.refer('status-page', statusPageId),
    ...{ name, enabled, tags, firstUpdate, lastUpdate, notifySubscribers },
    coolDownMinutes: rule.coolDownWindowMinutes,
    components: rule.components.map(({ componentId, targetImpact }) => ({
      component: scope.refer('status-page-component', componentId),
      targetImpact,
    })),
  }
  return { construct: scope.use('StatusPageV3AutomationRule'), props }
}

export function constructOfService({ name }: { name: string }, scope: ConstructScope): Construct {
  return { construct: scope.use('StatusPageService'), props: { name } }
}

export const dashboardDefaults: Props = {
  ...{ useTagsAndOperator: false, width: 'FULL', refreshRate: 60, paginate: true, paginationRate: 60 },
  ...{ checksPerPage: 15, hideTags: false, enableIncidents: false, expandChecks: false, showHeader: true },
  ...{ showCheckRunLinks: false, showGroupNames: true, showP95: true, showP99: true, isPrivate: false },
}
/** The construct has no others. */
export const dashboardProps = [
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
  ...['enableIncidents', 'expandChecks', 'showHeader', 'showP95', 'showP99', 'isPrivate'],
]

export function constructOfDashboard(dashboard: object, scope: ConstructScope): Construct {
  const fields = new Fields(dashboard)
  fields.ignore([...serverFields, 'dashboardId', 'keys', 'customDomainStatus'])
  const props = fields.takeAll(dashboardProps, dashboardDefaults)
  const content = fields.take('customCSS')
  fields.noteRest(scope, dashboardDefaults)
  return {
    construct: scope.use('Dashboard'),
    props: isSet(content) ? { ...props, customCSS: { content } } : props,
  }
}

const windowDates = ['startsAt', 'endsAt', 'repeatEndsAt']

export function constructOfWindow(window: object, scope: ConstructScope): Construct {
  const fields = new Fields(window)
  fields.ignore(serverFields)
  const names = ['name', 'tags', 'startsAt', 'endsAt', 'repeatInterval', 'repeatUnit', 'repeatEndsAt']
  const entries = Object.entries(fields.takeAll(names)).map(([name, value]) => [
    name,
    windowDates.includes(name) ? new Expression(`new Date('${String(value)}')`) : value,
  ])
  fields.noteRest(scope, { pauseAllChecks: false, silenceAllAlerts: false })
  return { construct: scope.use('MaintenanceWindow'), props: Object.fromEntries(entries) }
}

const locationObserved = ['keys', 'lastSeen', 'agentCount', 'minAgentVersion', 'runningAgents', 'queueSize']

export function constructOfLocation(location: object, scope: ConstructScope): Construct {
  const fields = new Fields(location)
  fields.ignore([...serverFields, ...locationObserved])
  const props = fields.takeAll(['name', 'slugName', 'icon'], { icon: 'location' })
  const proxyUrl = fields.take('proxyUrl')
  fields.noteRest(scope)
  if (!isSet(proxyUrl)) return { construct: scope.use('PrivateLocation'), props }
  const hasCredentials = String(proxyUrl).includes('@')
  return {
    construct: scope.use('PrivateLocation'),
    props: { ...props, proxyUrl: hasCredentials ? scope.secret('proxyUrl') : proxyUrl },
  }
}
