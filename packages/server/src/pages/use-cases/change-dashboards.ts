// Creates and updates dashboards and issues their keys, in the transaction of the caller.
import {
  ApiError,
  type BodyOf,
  type DashboardInput,
  maxKeysPerDashboard,
  type updateDashboard,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import { duplicateError, mapUniqueViolation } from '../../storage/core/map-unique-violation.ts'
import type { Vault } from '../../storage/core/vault.ts'
import * as dashboards from '../../storage/pages/dashboards.ts'
import { type ChangeContext, changeDomain, refuseReservedName } from './page-address.ts'
import { requestImages } from './page-images.ts'

type DashboardValues = z.output<typeof DashboardInput>

const uniqueIndexes = { dashboards_custom_url: 'customUrl', dashboards_custom_domain: 'customDomain' }

export interface DashboardContext extends ChangeContext {
  vault: Vault
}

export async function createDashboard(
  tx: Db,
  accountId: string,
  values: DashboardValues,
  context: DashboardContext,
): Promise<dashboards.DashboardRow> {
  refuseReservedName('customUrl', values.customUrl, null)
  const dashboardId = await dashboards.findFreeDashboardId(tx)
  await refuseIdOfAnother(tx, values.customUrl, dashboardId)
  const columns = { ...storedColumns(values), account_id: accountId, dashboard_id: dashboardId }
  const row = await mapUniqueViolation(uniqueIndexes, () => dashboards.insertDashboard(tx, columns))
  const domain = { before: null, after: values.customDomain }
  await changeDomain(tx, accountId, { dashboard_id: row.id }, domain, context)
  await requestImages(tx, accountId, values, context.now)
  if (values.isPrivate) await issueFirstKey(tx, context.vault, accountId, row.id)
  return row
}

export async function changeDashboard(
  tx: Db,
  accountId: string,
  dashboardId: string,
  change: BodyOf<typeof updateDashboard>,
  context: DashboardContext,
): Promise<dashboards.DashboardRow> {
  const before = orNotFound(await dashboards.lockDashboard(tx, accountId, dashboardId))
  refuseReservedName('customUrl', change.customUrl ?? null, before.custom_url)
  if (change.customUrl) await refuseIdOfAnother(tx, change.customUrl, before.dashboard_id)
  const columns = { ...storedColumns({ ...valuesOf(before), ...change }), updated_at: new Date(context.now) }
  const updated = await mapUniqueViolation(uniqueIndexes, () =>
    dashboards.updateDashboard(tx, accountId, before.id, columns),
  )
  const row = orNotFound(updated)
  const domain = { before: before.custom_domain, after: row.custom_domain }
  await changeDomain(tx, accountId, { dashboard_id: row.id }, domain, context)
  await requestImages(tx, accountId, row.settings, context.now)
  if (change.isPrivate) await issueFirstKey(tx, context.vault, accountId, row.id)
  return row
}

export async function issueDashboardKey(tx: Db, vault: Vault, accountId: string, dashboardId: string) {
  const dashboard = orNotFound(await dashboards.lockDashboard(tx, accountId, dashboardId))
  const keys = await dashboards.listDashboardKeys(tx, accountId, [dashboard.id])
  if (keys.length >= maxKeysPerDashboard) {
    throw new ApiError('conflict', { message: `A dashboard has at most ${maxKeysPerDashboard} keys.` })
  }
  return dashboards.insertDashboardKey(tx, vault, accountId, dashboard.id)
}

/** The settings of a stored dashboard. */
export function valuesOf(row: dashboards.DashboardRow): DashboardValues {
  return {
    ...row.settings,
    customUrl: row.custom_url,
    customDomain: row.custom_domain,
    isPrivate: row.is_private,
    tags: row.tags,
  }
}

/** A customUrl that is the id of another dashboard would take over its address. */
async function refuseIdOfAnother(tx: Db, customUrl: string | null, ownId: string): Promise<void> {
  if (customUrl !== null && (await dashboards.isIdOfAnotherDashboard(tx, customUrl, ownId)))
    throw duplicateError('customUrl')
}

/** choice: a dashboard made private without any key gets one; keys it has already stay valid. */
async function issueFirstKey(tx: Db, vault: Vault, accountId: string, id: number): Promise<void> {
  const keys = await dashboards.listDashboardKeys(tx, accountId, [id])
  if (keys.length === 0) await dashboards.insertDashboardKey(tx, vault, accountId, id)
}

function storedColumns(values: DashboardValues) {
  const { settings, ...columns } = dashboards.dashboardColumns(values)
  return { ...columns, settings: JSON.stringify(settings) }
}
