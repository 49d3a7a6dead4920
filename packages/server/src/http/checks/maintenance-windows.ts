import {
  ApiError,
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  getMaintenanceWindow,
  instantOf,
  invalidInput,
  listMaintenanceWindows,
  type MaintenanceWindow,
  type MaintenanceWindowValues,
  maintenanceWindowIssues,
  updateMaintenanceWindow,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as windows from '../../storage/checks/maintenance-windows.ts'
import { transact } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'

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
    handle(createMaintenanceWindow, async ({ account, body }) => {
      const values = { ...columnsOf(body), account_id: account.id }
      return serializeMaintenanceWindow(await windows.insertMaintenanceWindow(db, values))
    }),
    handle(updateMaintenanceWindow, ({ account, params, body }) =>
      transact(db, async (tx) => {
        const stored = orNotFound(await windows.lockMaintenanceWindow(tx, account.id, params.id))
        const merged = { ...serializeMaintenanceWindow(stored), ...body }
        const issues = maintenanceWindowIssues(merged)
        if (issues.length > 0) throw invalidInput(issues)
        const values = { ...columnsOf(merged), updated_at: new Date(clock.now()) }
        return serializeMaintenanceWindow(
          orNotFound(await windows.updateMaintenanceWindow(tx, account.id, params.id, values)),
        )
      }),
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

function columnsOf(values: MaintenanceWindowValues) {
  return {
    name: values.name,
    tags: values.tags,
    starts_at: instantOf(values.startsAt),
    ends_at: instantOf(values.endsAt),
    repeat_interval: values.repeatInterval,
    repeat_unit: values.repeatUnit,
    repeat_ends_at: values.repeatEndsAt === null ? null : instantOf(values.repeatEndsAt),
    pause_all_checks: values.pauseAllChecks,
    silence_all_alerts: values.silenceAllAlerts,
    silence_alerts_tags: values.silenceAlertsTags,
    timezone: values.timezone,
    description: values.description,
  }
}

function serializeMaintenanceWindow(row: windows.MaintenanceWindowRow): z.output<typeof MaintenanceWindow> {
  return {
    id: row.id,
    name: row.name,
    tags: row.tags,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    repeatInterval: row.repeat_interval,
    repeatUnit: row.repeat_unit,
    repeatEndsAt: row.repeat_ends_at,
    pauseAllChecks: row.pause_all_checks,
    silenceAllAlerts: row.silence_all_alerts,
    silenceAlertsTags: row.silence_alerts_tags,
    timezone: row.timezone,
    description: row.description,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
