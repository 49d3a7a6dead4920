// The incidents and the maintenance of a status page in a month.
import type { Db } from '../../storage/core/db.ts'
import { findFirstIncidentTime, listPageIncidents } from '../../storage/pages/page-incidents.ts'
import { type ShownIncident, type StatusContent, toShown } from './content.ts'
import { listMaintenance, type ShownMaintenance } from './maintenance.ts'

export interface MonthHistory {
  /** Its first instant. */
  month: number
  /** Those that began in it, latest first. */
  incidents: ShownIncident[]
  /** What began in it. */
  maintenance: ShownMaintenance[]
  /** Months such as 2026-11; null: there is nothing to see. */
  neighbors: { older: string | null; newer: string | null }
}

/** `within`: an instant in the month. `isPast`: with what had been written by the time of the content. */
export async function readHistory(
  db: Db,
  { page, services, at, windows }: StatusContent,
  within: number,
  isPast: boolean,
): Promise<MonthHistory> {
  const [from, to] = [addMonths(within, 0), addMonths(within, 1)]
  const range = { from, to: at, ...(isPast ? { writtenBy: at } : {}) }
  const serviceIds = services.map(({ id }) => id)
  const rows = await listPageIncidents(db, page.account_id, serviceIds, range)
  const firstIncident = await findFirstIncidentTime(db, page.account_id, serviceIds)
  const first = Math.min(firstIncident ?? from, ...windows.map(({ startsAt }) => Date.parse(startsAt)))
  return {
    month: from,
    incidents: rows.map(toShown).filter(({ start }) => start >= from && start < to),
    maintenance: listMaintenance(windows, { from, to }, at).filter(
      ({ start }) => start >= from && start <= at,
    ),
    neighbors: {
      older: first >= from ? null : monthText(addMonths(within, -1)),
      newer: to > at ? null : monthText(to),
    },
  }
}

/** The first instant of a month of this century, such as 2026-11. Null: not a month. */
export function monthOf(text: string): number | null {
  return /^20\d\d-(0[1-9]|1[0-2])$/.test(text) ? Date.parse(`${text}-01T00:00:00Z`) : null
}

function addMonths(within: number, count: number): number {
  const date = new Date(within)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count)
}

function monthText(month: number): string {
  return new Date(month).toISOString().slice(0, 7)
}
