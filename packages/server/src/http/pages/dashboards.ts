import {
  ApiError,
  createDashboard,
  createDashboardKey,
  type Dashboard,
  type DashboardInput,
  deleteDashboard,
  deleteDashboardKey,
  getDashboard,
  listDashboards,
  maxKeysPerDashboard,
  updateDashboard,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { NewKey } from '../../storage/accounts/api-keys.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { duplicateError, mapUniqueViolation } from '../../storage/core/map-unique-violation.ts'
import * as dashboards from '../../storage/pages/dashboards.ts'
import { serializeAccessKey, serializeIssuedKey } from '../accounts/access-keys.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'

type DashboardValues = z.output<typeof DashboardInput>

const uniqueIndexes = { dashboards_custom_url: 'customUrl', dashboards_custom_domain: 'customDomain' }

export function dashboardRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listDashboards, async ({ account, query }) => {
      const { items, total } = await dashboards.listDashboards(db, account.id, query)
      return { items: await serializeDashboards(db, account.id, items), total }
    }),
    handle(getDashboard, async ({ account, params, query }) => {
      const row = orNotFound(await dashboards.findDashboard(db, account.id, params.dashboardId, query.type))
      return serializeOne(db, account.id, row)
    }),
    handle(createDashboard, async ({ account, body }) => {
      return mapUniqueViolation(uniqueIndexes, () =>
        transact(db, async (tx) => {
          const dashboardId = await dashboards.findFreeDashboardId(tx)
          await refuseIdOfAnother(tx, body.customUrl, dashboardId)
          const values = { ...columnsOf(body), account_id: account.id, dashboard_id: dashboardId }
          const row = await dashboards.insertDashboard(tx, values)
          const issued = body.isPrivate ? await issueFirstKey(tx, account.id, row.id) : null
          return serializeOne(tx, account.id, row, issued)
        }),
      )
    }),
    handle(updateDashboard, async ({ account, params, body }) => {
      return mapUniqueViolation(uniqueIndexes, () =>
        transact(db, async (tx) => {
          const before = orNotFound(await dashboards.lockDashboard(tx, account.id, params.dashboardId))
          const columns = columnsOf({ ...valuesOf(before), ...body })
          if (body.customUrl) await refuseIdOfAnother(tx, body.customUrl, before.dashboard_id)
          const values = { ...columns, updated_at: new Date(clock.now()) }
          const row = orNotFound(await dashboards.updateDashboard(tx, account.id, before.id, values))
          const issued = body.isPrivate ? await issueFirstKey(tx, account.id, row.id) : null
          return serializeOne(tx, account.id, row, issued)
        }),
      )
    }),
    handle(deleteDashboard, async ({ account, params }) => {
      if (!(await dashboards.deleteDashboard(db, account.id, params.dashboardId)))
        throw new ApiError('not_found')
    }),
    handle(createDashboardKey, async ({ account, params }) => {
      return transact(db, async (tx) => {
        const dashboard = orNotFound(await dashboards.lockDashboard(tx, account.id, params.dashboardId))
        const keys = await dashboards.listDashboardKeys(tx, account.id, [dashboard.id])
        if (keys.length >= maxKeysPerDashboard) {
          throw new ApiError('conflict', { message: `A dashboard has at most ${maxKeysPerDashboard} keys.` })
        }
        const { key, row } = await dashboards.insertDashboardKey(tx, account.id, dashboard.id)
        return serializeIssuedKey(row, key)
      })
    }),
    handle(deleteDashboardKey, async ({ account, params }) => {
      const dashboard = orNotFound(await dashboards.findDashboard(db, account.id, params.dashboardId))
      const deleted = await dashboards.deleteDashboardKey(db, account.id, dashboard.id, params.keyId)
      if (!deleted) throw new ApiError('not_found')
    }),
  ]
}

/** A customUrl that is the id of another dashboard would take over its address. */
async function refuseIdOfAnother(tx: Db, customUrl: string | null, ownId: string): Promise<void> {
  if (customUrl !== null && (await dashboards.isIdOfAnotherDashboard(tx, customUrl, ownId)))
    throw duplicateError('customUrl')
}

/** choice: a dashboard made private without any key gets one; keys it has already stay valid. */
async function issueFirstKey(tx: Db, accountId: string, id: number): Promise<NewKey | null> {
  const keys = await dashboards.listDashboardKeys(tx, accountId, [id])
  return keys.length > 0 ? null : (await dashboards.insertDashboardKey(tx, accountId, id)).key
}

function columnsOf({ customUrl, customDomain, isPrivate, tags, ...settings }: DashboardValues) {
  return {
    custom_url: customUrl,
    custom_domain: customDomain,
    is_private: isPrivate,
    tags,
    settings: JSON.stringify(settings),
  }
}

function valuesOf(row: dashboards.DashboardRow): DashboardValues {
  return {
    ...row.settings,
    customUrl: row.custom_url,
    customDomain: row.custom_domain,
    isPrivate: row.is_private,
    tags: row.tags,
  }
}

async function serializeOne(
  db: Db,
  accountId: string,
  row: dashboards.DashboardRow,
  issued: NewKey | null = null,
) {
  const [dashboard] = await serializeDashboards(db, accountId, [row], issued)
  return orNotFound(dashboard)
}

async function serializeDashboards(
  db: Db,
  accountId: string,
  rows: dashboards.DashboardRow[],
  issued: NewKey | null = null,
): Promise<z.output<typeof Dashboard>[]> {
  const ids = rows.map((row) => row.id)
  const keys = Map.groupBy(await dashboards.listDashboardKeys(db, accountId, ids), (key) => key.dashboard_id)
  return rows.map((row) => ({
    id: row.id,
    dashboardId: row.dashboard_id,
    ...valuesOf(row),
    customUrl: row.custom_url ?? undefined,
    link: row.settings.link ?? undefined,
    keys: (keys.get(row.id) ?? []).map((key) => serializeAccessKey(key, issued)),
    created_at: row.created_at,
  }))
}
