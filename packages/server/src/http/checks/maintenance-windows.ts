import {
  ApiError,
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  instantOf,
  listMaintenanceWindows,
  type MaintenanceWindow,
  updateMaintenanceWindow,
} from '@vedette/contracts'
import type { z } from 'zod'
import { changeWindow, createWindow, valuesOf } from '../../checks/change-maintenance-windows.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as windows from '../../storage/checks/maintenance-windows.ts'
import { transact } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function maintenanceWindowRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listMaintenanceWindows, async ({ account, query }) => {
      const filters = { startsAt: instantsOf(query.startsAt), endsAt: instantsOf(query.endsAt) }
      const { items, total } = await windows.listMaintenanceWindows(db, account.id, { ...query, ...filters })
      return { items: items.map(serializeMaintenanceWindow), total }
    }),
    handle(getMaintenanceWindow, async ({ account, params }) => {
      return serializeMaintenanceWindow(
        orNotFound(await windows.findMaintenanceWindow(db, account.id, params.id)),
      )
    }),
    handle(createMaintenanceWindow, async ({ account, body }) =>
      serializeMaintenanceWindow(await transact(db, (tx) => createWindow(tx, account.id, body, clock.now()))),
    ),
    handle(updateMaintenanceWindow, async ({ account, params, body }) =>
      serializeMaintenanceWindow(
        await transact(db, (tx) => changeWindow(tx, account.id, params.id, body, clock.now())),
      ),
    ),
    handle(deleteMaintenanceWindow, async ({ account, params }) => {
      if (!(await windows.deleteMaintenanceWindow(db, account.id, params.id))) throw new ApiError('not_found')
    }),
  ]
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
