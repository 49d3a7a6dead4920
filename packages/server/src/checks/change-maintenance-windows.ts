// Creates and updates maintenance windows, in the transaction of the caller.
import {
  type BodyOf,
  type FieldIssue,
  instantOf,
  invalidInput,
  type MaintenanceVisibility,
  type MaintenanceWindowValues,
  maintenanceWindowIssues,
  type updateMaintenanceWindow,
} from '@vedette/contracts'
import { orNotFound } from '../core/or-not-found.ts'
import * as windows from '../storage/checks/maintenance-windows.ts'
import type { Db } from '../storage/core/db.ts'
import { holdStatusPageServices } from '../storage/pages/status-page-services.ts'
import { holdStatusPages } from '../storage/pages/status-pages.ts'

export async function createWindow(
  tx: Db,
  accountId: string,
  values: MaintenanceWindowValues,
  now: number,
): Promise<windows.MaintenanceWindowRow> {
  await requireReferences(tx, accountId, values.statusPageVisibility)
  return windows.insertMaintenanceWindow(tx, { ...columnsOf(values, now), account_id: accountId })
}

export async function changeWindow(
  tx: Db,
  accountId: string,
  id: number,
  change: BodyOf<typeof updateMaintenanceWindow>,
  now: number,
): Promise<windows.MaintenanceWindowRow> {
  const stored = orNotFound(await windows.lockMaintenanceWindow(tx, accountId, id))
  const values = { ...valuesOf(stored), ...change }
  const issues = maintenanceWindowIssues(values)
  if (issues.length > 0) throw invalidInput(issues)
  await requireReferences(tx, accountId, change.statusPageVisibility ?? null)
  const columns = { ...columnsOf(values, now), updated_at: new Date(now) }
  return orNotFound(await windows.updateMaintenanceWindow(tx, accountId, id, columns))
}

/** Throws a 400 that names the pages and services that the account doesn't have, and locks the others against deletion. */
async function requireReferences(
  tx: Db,
  accountId: string,
  visibility: MaintenanceVisibility | null,
): Promise<void> {
  if (visibility === null) return
  const services = await holdStatusPageServices(tx, accountId, visibility.serviceIds)
  const pages = await holdStatusPages(tx, accountId, visibility.statusPageIds)
  const missing = (list: 'serviceIds' | 'statusPageIds', existing: Set<string>, what: string) =>
    visibility[list].flatMap((id, index): FieldIssue[] =>
      existing.has(id)
        ? []
        : [{ path: ['statusPageVisibility', list, index], message: `isn't a ${what} of this account` }],
    )
  const issues = [
    ...missing('serviceIds', services, 'service'),
    ...missing('statusPageIds', pages, 'status page'),
  ]
  if (issues.length > 0) throw invalidInput(issues)
}

/** The settings of a stored window. */
export function valuesOf(row: windows.MaintenanceWindowRow): MaintenanceWindowValues {
  return {
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
    statusPageVisibility: row.status_page_visibility,
  }
}

function columnsOf(values: MaintenanceWindowValues, now: number) {
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
    status_page_visibility: values.statusPageVisibility && JSON.stringify(values.statusPageVisibility),
    notices_due_at: values.statusPageVisibility?.enabled ? new Date(now) : null,
  }
}
