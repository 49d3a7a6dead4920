// The requests that create status pages, services, incidents and dashboards. None of them has secret values: keys are left out.
import type {
  getDashboard,
  getDashboardIncident,
  getStatusPage,
  getStatusPageIncident,
  getStatusPageService,
  ResponseOf,
} from '@vedette/contracts'
import { dashboardDefaults, dashboardProps } from './constructs/page-constructs.ts'
import { creationAsCurl, type ServerAddress } from './curl.ts'

type Dashboard = ResponseOf<typeof getDashboard>
type DashboardIncident = ResponseOf<typeof getDashboardIncident>
type Incident = ResponseOf<typeof getStatusPageIncident>
type Service = ResponseOf<typeof getStatusPageService>
type StatusPage = ResponseOf<typeof getStatusPage>

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

const dashboardFields = [...dashboardProps, 'showCheckRunLinks', 'showGroupNames', 'customCSS']

export function dashboardAsCurl(dashboard: Dashboard, server: ServerAddress): string {
  return creationAsCurl(server, '/v1/dashboards', chosenFields(dashboard, dashboardFields, dashboardDefaults))
}
