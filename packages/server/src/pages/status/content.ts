// What a status page shows at an instant, as data: read from the store once, rendered in every language.
import { dayMs, openTimes } from '@vedette/contracts'
import { type IncidentSpan, incidentSpan } from '../../analytics/incident-duration.ts'
import { type Db, firstRow } from '../../storage/core/db.ts'
import { listPageImages } from '../../storage/pages/page-images.ts'
import { listPageIncidents, type PageIncident } from '../../storage/pages/page-incidents.ts'
import { listPageMaintenance } from '../../storage/pages/page-maintenance.ts'
import {
  componentName,
  listStatusPageComponents,
  type StatusPageComponentRow,
} from '../../storage/pages/status-page-components.ts'
import {
  findShownStatusPage,
  listStatusPageKeys,
  type StatusPageRow,
} from '../../storage/pages/status-pages.ts'
import type { PageImages } from '../page-images.ts'
import type { Lock } from '../private-access.ts'
import { listMaintenance, type ShownMaintenance, type ShownWindow, shownWindows } from './maintenance.ts'
import {
  type ExcludedTime,
  type History,
  historyOf,
  type PublicState,
  type Severity,
  severityState,
  shownDays,
  worstState,
} from './uptime.ts'

export interface ShownIncident extends PageIncident, IncidentSpan {
  state: PublicState
  /** When it was written, if that was long after it began; null: it wasn't. */
  addedAt: number | null
}

export interface ShownService {
  /** Of the service, which several components may show. */
  id: string
  name: string
  description: string | null
  state: PublicState
  history: History
  /** Whether 90 days and the uptime are shown. */
  showsHistory: boolean
}

export interface ShownGroup {
  name: string
  description: string | null
  members: ShownComponent[]
  /** The worst of its services. */
  state: PublicState
  /** The mean of its services; null: none has one. */
  uptime: number | null
  isExpanded: boolean
}

export type ShownComponent = ShownService | ShownGroup

export function isGroup(component: ShownComponent): component is ShownGroup {
  return 'members' in component
}

export interface StatusContent {
  page: StatusPageRow
  /** Null: the page is public. */
  lock: Lock | null
  images: PageImages
  components: ShownComponent[]
  /** Each service once, though several groups may have it. */
  services: ShownService[]
  state: PublicState
  /** Of the last 90 days, and all that are open. Latest first. */
  incidents: ShownIncident[]
  /** All that are published here. */
  windows: ShownWindow[]
  /** What is going on, and what is planned for the next 90 days. Soonest first. */
  maintenance: ShownMaintenance[]
  /** When it was read. */
  at: number
}

const plannedDays = 90

/** `isPast`: as it was at `now`, with what had been written by then. Null: no page has this name. */
export async function readStatusContent(
  db: Db,
  slug: string,
  now: number,
  isPast = false,
): Promise<StatusContent | null> {
  const page = await findShownStatusPage(db, slug)
  if (page === null) return null
  const rows = await listStatusPageComponents(db, page.account_id, [page.id])
  return readContentOf(db, page, rows, now, isPast)
}

/** `componentRows`: each group before what is in it. */
export async function readContentOf(
  db: Db,
  page: StatusPageRow,
  componentRows: readonly StatusPageComponentRow[],
  now: number,
  isPast = false,
): Promise<StatusContent> {
  const today = Math.floor(now / dayMs) * dayMs
  const range = { from: today - (shownDays - 1) * dayMs, to: now, ...(isPast ? { writtenBy: now } : {}) }
  const { logo, logoDark, favicon } = page.settings
  const components = visibleComponents(componentRows)
  const serviceIds = [...new Set(components.flatMap(({ service_id }) => service_id ?? []))]
  const [rows, published, keys, images] = await Promise.all([
    listPageIncidents(db, page.account_id, serviceIds, range),
    listPageMaintenance(db, page.account_id, page.id),
    page.is_private ? listStatusPageKeys(db, page.account_id, [page.id]) : [],
    listPageImages(db, page.account_id, [logo, logoDark, favicon]),
  ])
  const incidents = rows.map(toShown)
  const known = isPast ? published.filter(({ createdAt }) => Date.parse(createdAt) <= now) : published
  const windows = shownWindows(known, serviceIds)
  const maintenance = listMaintenance(windows, { from: now, to: now + plannedDays * dayMs }, now)
  const excludedOf = excludedTimes(windows, range)
  const shown = shownTree(components, (serviceId) => {
    const isMaintained = maintenance.some((one) => isMarked(one) && one.window.serviceIds.includes(serviceId))
    return healthOf(serviceId, incidents, isMaintained, excludedOf(serviceId), now)
  })
  const services = [...new Map(servicesIn(shown).map((service) => [service.id, service])).values()]
  return {
    page,
    lock: page.is_private ? { id: `s-${page.id}`, name: page.name, keys } : null,
    images,
    components: shown,
    services,
    state: worstState([
      ...services.map(({ state }) => state),
      ...(maintenance.some(({ phase }) => phase === 'running') ? (['maintenance'] as const) : []),
    ]),
    incidents,
    windows,
    maintenance,
    at: now,
  }
}

/** People write down some hours later what happened; this is longer. */
export const backfilledMs = dayMs

export function toShown(incident: PageIncident): ShownIncident {
  const steps = incident.updates.map(({ status, at }) => ({ status, at })).reverse()
  const span = incidentSpan(steps) ?? { start: Date.parse(firstRow(incident.updates).at), end: null }
  const written = Date.parse(incident.writtenAt)
  const addedAt = written - span.start > backfilledMs ? written : null
  return { ...incident, ...span, state: severityState(incident.severity), addedAt }
}

/** The services of running maintenance show it, unless the owner hides which ones it affects. */
function isMarked({ phase, window }: ShownMaintenance): boolean {
  return phase === 'running' && window.visibility.showAffectedServices
}

/** Of each service. */
function excludedTimes(
  windows: readonly ShownWindow[],
  { from, to }: { from: number; to: number },
): (serviceId: string) => ExcludedTime[] {
  const times = windows.map((window) => {
    const isHidden = !window.visibility.showAffectedServices
    return { window, open: openTimes(window, from, to).map((time) => ({ ...time, isHidden })) }
  })
  return (id) => times.flatMap(({ window, open }) => (window.serviceIds.includes(id) ? open : []))
}

/** Hidden components are left out, with all that is in them. Groups come before what is in them. */
function visibleComponents(rows: readonly StatusPageComponentRow[]): StatusPageComponentRow[] {
  const visible = new Set<string | null>([null])
  return rows.filter(({ id, parent_id, hidden }) => {
    if (hidden || !visible.has(parent_id)) return false
    visible.add(id)
    return true
  })
}

function shownTree(
  rows: readonly StatusPageComponentRow[],
  healthOfService: (serviceId: string) => Pick<ShownService, 'state' | 'history'>,
): ShownComponent[] {
  const byParent = Map.groupBy(rows, (row) => row.parent_id)
  const toComponent = (row: StatusPageComponentRow): ShownComponent => {
    const { service_id, description, configuration } = row
    const shared = { name: componentName(row), description }
    if (service_id !== null) {
      const showsHistory = configuration.showHistoricalData ?? true
      return { id: service_id, ...shared, showsHistory, ...healthOfService(service_id) }
    }
    const members = (byParent.get(row.id) ?? []).map(toComponent)
    const services = servicesIn(members)
    return {
      ...shared,
      members,
      state: worstState(services.map(({ state }) => state)),
      uptime: meanOf(
        services.filter(({ showsHistory }) => showsHistory).map(({ history }) => history.uptime),
      ),
      isExpanded: configuration.expandedByDefault ?? true,
    }
  }
  return (byParent.get(null) ?? []).map(toComponent)
}

function servicesIn(components: readonly ShownComponent[]): ShownService[] {
  return components.flatMap((component) => (isGroup(component) ? servicesIn(component.members) : [component]))
}

function healthOf(
  serviceId: string,
  incidents: readonly ShownIncident[],
  isMaintained: boolean,
  excluded: readonly ExcludedTime[],
  now: number,
): Pick<ShownService, 'state' | 'history'> {
  const own = incidents.filter(({ serviceIds }) => serviceIds.includes(serviceId))
  const outages = own.map((incident) => ({
    severity: severityFor(incident, serviceId),
    start: incident.start,
    end: incident.end ?? now,
  }))
  const open = own.filter(({ end }) => end === null)
  const states = open.map((incident) => severityState(severityFor(incident, serviceId)))
  return {
    state: worstState(isMaintained ? [...states, 'maintenance'] : states),
    history: historyOf(outages, excluded, now),
  }
}

/** How bad an incident is for one of its services. */
export function severityFor({ severities, severity }: ShownIncident, serviceId: string): Severity {
  return severities[serviceId] ?? severity
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
