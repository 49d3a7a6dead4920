// What a status page shows at an instant, as data: read from the store once, rendered in every language.
import { dayMs } from '@vedette/contracts'
import { type IncidentSpan, incidentSpan } from '../../analytics/incident-duration.ts'
import { type Db, firstRow } from '../../storage/core/db.ts'
import { listPageIncidents, type PageIncident } from '../../storage/pages/page-incidents.ts'
import { listStatusPageCards } from '../../storage/pages/status-page-cards.ts'
import {
  findShownStatusPage,
  listStatusPageKeys,
  type StatusPageRow,
} from '../../storage/pages/status-pages.ts'
import type { Lock } from '../private-access.ts'
import { type History, historyOf, type PublicState, severityState, shownDays, worstState } from './uptime.ts'

export interface ShownIncident extends PageIncident, IncidentSpan {
  state: PublicState
}

export interface ShownService {
  id: string
  name: string
  state: PublicState
  history: History
}

export interface ShownCard {
  name: string
  services: ShownService[]
  /** The mean of its services; null: it has none. */
  uptime: number | null
}

export interface StatusContent {
  page: StatusPageRow
  /** Null: the page is public. */
  lock: Lock | null
  cards: ShownCard[]
  /** Each service once, though several cards may have it. */
  services: ShownService[]
  state: PublicState
  /** Of the last 90 days, and all that are open. Latest first. */
  incidents: ShownIncident[]
  /** When it was read. */
  at: number
}

/** `isPast`: as it was at `now`, with what had been written by then. Null: no page has this name. */
export async function readStatusContent(
  db: Db,
  slug: string,
  now: number,
  isPast = false,
): Promise<StatusContent | null> {
  const page = await findShownStatusPage(db, slug)
  if (page === null) return null
  const today = Math.floor(now / dayMs) * dayMs
  const range = { from: today - (shownDays - 1) * dayMs, to: now, ...(isPast ? { writtenBy: now } : {}) }
  const [rows, cards, keys] = await Promise.all([
    listPageIncidents(db, page.account_id, page.id, range),
    listStatusPageCards(db, page.account_id, [page.id]),
    page.is_private ? listStatusPageKeys(db, page.account_id, [page.id]) : [],
  ])
  const incidents = rows.map(toShown)
  const services = new Map<string, ShownService>()
  for (const { id, name } of cards.flatMap((card) => card.services)) {
    if (!services.has(id)) services.set(id, serviceOf(id, name, incidents, now))
  }
  const shownCards = cards.map(({ name, services: own }): ShownCard => {
    const shown = own.flatMap(({ id }) => services.get(id) ?? [])
    return { name, services: shown, uptime: meanOf(shown.map(({ history }) => history.uptime)) }
  })
  const all = [...services.values()]
  return {
    page,
    lock: page.is_private ? { id: `s-${page.id}`, name: page.name, keys } : null,
    cards: shownCards,
    services: all,
    state: worstState(all.map(({ state }) => state)),
    incidents,
    at: now,
  }
}

export function toShown(incident: PageIncident): ShownIncident {
  const steps = incident.updates.map(({ status, at }) => ({ status, at })).reverse()
  const span = incidentSpan(steps) ?? { start: Date.parse(firstRow(incident.updates).at), end: null }
  return { ...incident, ...span, state: severityState(incident.severity) }
}

function serviceOf(id: string, name: string, incidents: readonly ShownIncident[], now: number): ShownService {
  const own = incidents.filter(({ serviceIds }) => serviceIds.includes(id))
  const outages = own.map(({ severity, start, end }) => ({ severity, start, end: end ?? now }))
  const open = own.filter(({ end }) => end === null)
  return {
    id,
    name,
    state: worstState(open.map(({ state }) => state)),
    history: historyOf(outages, [], now),
  }
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
