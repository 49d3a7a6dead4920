import {
  ApiError,
  createMaintenanceWindow,
  dayMs,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  instantOf,
  invalidInput,
  listMaintenanceOccurrences,
  listMaintenanceWindows,
  type MaintenanceWindow,
  type Occurrence,
  occurrenceLimits,
  occurrences,
  previewMaintenanceWindow,
  type RepeatingPeriod,
  updateMaintenanceWindow,
} from '@vedette/contracts'
import type { z } from 'zod'
import { changeWindow, createWindow, valuesOf } from '../../checks/change-maintenance-windows.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as windows from '../../storage/checks/maintenance-windows.ts'
import { transact } from '../../storage/core/db.ts'
import { withProjectFields, withProjectFieldsOfOne } from '../../storage/projects/owners.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function maintenanceWindowRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  const bind = (accountId: string, row: windows.MaintenanceWindowRow) =>
    withProjectFieldsOfOne(db, accountId, 'maintenance-window', serializeMaintenanceWindow(row))
  return [
    handle(listMaintenanceWindows, async ({ account, query }) => {
      const filters = { startsAt: instantsOf(query.startsAt), endsAt: instantsOf(query.endsAt) }
      const { items, total } = await windows.listMaintenanceWindows(db, account.id, { ...query, ...filters })
      const serialized = items.map(serializeMaintenanceWindow)
      return { items: await withProjectFields(db, account.id, 'maintenance-window', serialized), total }
    }),
    handle(getMaintenanceWindow, async ({ account, params }) => {
      return bind(account.id, orNotFound(await windows.findMaintenanceWindow(db, account.id, params.id)))
    }),
    handle(createMaintenanceWindow, async ({ account, body }) =>
      serializeMaintenanceWindow(await transact(db, (tx) => createWindow(tx, account.id, body, clock.now()))),
    ),
    handle(updateMaintenanceWindow, async ({ account, params, body }) =>
      bind(
        account.id,
        await transact(db, (tx) => changeWindow(tx, account.id, params.id, body, clock.now())),
      ),
    ),
    handle(deleteMaintenanceWindow, async ({ account, params }) => {
      if (!(await windows.deleteMaintenanceWindow(db, account.id, params.id))) throw new ApiError('not_found')
    }),
    handle(listMaintenanceOccurrences, async ({ account, query }) => {
      const [from, to] = [query.from * 1000, query.to * 1000]
      if (to <= from || to - from > occurrenceLimits.days * dayMs)
        throw invalidInput([
          { path: ['to'], message: `must be after from, at most ${occurrenceLimits.days} days` },
        ])
      const rows = await windows.listWindowsBetween(db, account.id, from, to)
      return rows
        .flatMap((row) =>
          occurrences(valuesOf(row), from, to).map((one) => ({
            maintenanceWindowId: row.id,
            ...timesOf(one),
          })),
        )
        .sort((a, b) => (a.startsAt < b.startsAt ? -1 : a.startsAt > b.startsAt ? 1 : 0))
        .slice(0, occurrenceLimits.occurrences)
    }),
    handle(previewMaintenanceWindow, async ({ account, body }) => {
      const now = clock.now()
      const window = {
        ...body,
        startsAt: isoOf(body.startsAt),
        endsAt: isoOf(body.endsAt),
        repeatEndsAt: body.repeatEndsAt && isoOf(body.repeatEndsAt),
      }
      const next = nextOccurrences(window, now)
      return {
        isOpen: next.some(({ start, end }) => start <= now && now < end),
        occurrences: next.map(timesOf),
        paused: await windows.listAffectedChecks(db, account.id, {
          ...{ isAll: body.pauseAllChecks, tags: body.tags },
        }),
        silenced: await windows.listAffectedChecks(db, account.id, {
          ...{ isAll: body.silenceAllAlerts, tags: body.silenceAlertsTags },
        }),
      }
    }),
  ]
}

const isoOf = (date: string) => instantOf(date).toISOString()

const timesOf = ({ start, end }: Occurrence) => ({
  startsAt: new Date(start).toISOString(),
  endsAt: new Date(end).toISOString(),
})

const shownOccurrences = 10

/** The next ones: a year is enough for daily, weekly and monthly ones, and others are looked for further. */
function nextOccurrences(window: RepeatingPeriod, now: number): Occurrence[] {
  const first = Math.max(now, Date.parse(window.startsAt))
  for (const days of [400, 4_000]) {
    const found = occurrences(window, now, first + days * dayMs)
    if (found.length >= shownOccurrences || days === 4_000 || window.repeatInterval === null)
      return found.slice(0, shownOccurrences)
  }
  return []
}

/** Converts dates of any time zone to UTC. */
function instantsOf(
  filter: { [K in keyof windows.InstantFilter]: string | undefined } = {},
): windows.InstantFilter {
  const given = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(given.map(([name, date]) => [name, instantOf(date).toISOString()]))
}

function serializeMaintenanceWindow(row: windows.MaintenanceWindowRow): z.output<typeof MaintenanceWindow> {
  return { id: row.id, ...valuesOf(row), created_at: row.created_at, updated_at: row.updated_at }
}
