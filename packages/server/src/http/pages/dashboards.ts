import {
  ApiError,
  createDashboard,
  createDashboardKey,
  type Dashboard,
  deleteDashboard,
  deleteDashboardKey,
  getDashboard,
  listDashboards,
  roleAllows,
  updateDashboard,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { ownHosts } from '../../core/own-hosts.ts'
import { safeCss } from '../../look/user-css.ts'
import * as changes from '../../pages/use-cases/change-dashboards.ts'
import { imageWarnings } from '../../pages/use-cases/page-images.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { isSealed } from '../../storage/core/vault.ts'
import * as dashboards from '../../storage/pages/dashboards.ts'
import { readProjectFields } from '../../storage/projects/owners.ts'
import { serializeAccessKey, serializeIssuedKey } from '../accounts/access-keys.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { changePages } from './change-pages.ts'
import { readDomainStatuses } from './serialize-custom-domain.ts'

export function dashboardRoutes(deps: Deps): Mounted[] {
  const { store, vault, clock, config } = deps
  const { db } = store
  const context = () => ({ now: clock.now(), ownHosts: ownHosts(config), vault })
  const change = changePages(deps)
  return [
    handle(listDashboards, async ({ account, query }) => {
      const { items, total } = await dashboards.listDashboards(db, account.id, query)
      return { items: await serializeDashboards(db, deps, account, items), total }
    }),
    handle(getDashboard, async ({ account, params, query, warn }) => {
      const row = orNotFound(await dashboards.findDashboard(db, account.id, params.dashboardId, query.type))
      for (const sentence of await imageWarnings(db, account.id, row.settings)) warn(sentence)
      return serializeOne(db, deps, account, row)
    }),
    handle(createDashboard, async ({ account, body, warn }) => {
      warnAboutCss(body.customCSS, warn)
      for (const sentence of await imageWarnings(db, account.id, body)) warn(sentence)
      return change(async (tx) => {
        return serializeOne(tx, deps, account, await changes.createDashboard(tx, account.id, body, context()))
      })
    }),
    handle(updateDashboard, async ({ account, params, body, warn }) => {
      warnAboutCss(body.customCSS, warn)
      for (const sentence of await imageWarnings(db, account.id, body)) warn(sentence)
      return change(async (tx) => {
        const id = params.dashboardId
        return serializeOne(
          tx,
          deps,
          account,
          await changes.changeDashboard(tx, account.id, id, body, context()),
        )
      })
    }),
    handle(deleteDashboard, async ({ account, params }) => {
      const isDeleted = await change((tx) => dashboards.deleteDashboard(tx, account.id, params.dashboardId))
      if (!isDeleted) throw new ApiError('not_found')
    }),
    handle(createDashboardKey, async ({ account, params }) => {
      const { key, row } = await transact(db, (tx) =>
        changes.issueDashboardKey(tx, vault, account.id, params.dashboardId),
      )
      return serializeIssuedKey(row, key)
    }),
    handle(deleteDashboardKey, async ({ account, params }) => {
      const dashboard = orNotFound(await dashboards.findDashboard(db, account.id, params.dashboardId))
      const deleted = await dashboards.deleteDashboardKey(db, account.id, dashboard.id, params.keyId)
      if (!deleted) throw new ApiError('not_found')
    }),
  ]
}

/** What a page leaves out is stored as it was sent: clients read back what they wrote. */
function warnAboutCss(css: string | null | undefined, warn: (sentence: string) => void): void {
  const { dropped } = safeCss(css ?? '')
  if (dropped.length > 0) warn(`customCSS: the page leaves out ${dropped.join(', ')}.`)
}

async function serializeOne(db: Db, deps: Deps, account: AccountContext, row: dashboards.DashboardRow) {
  const [dashboard] = await serializeDashboards(db, deps, account, [row])
  return orNotFound(dashboard)
}

async function serializeDashboards(
  db: Db,
  deps: Deps,
  account: AccountContext,
  rows: dashboards.DashboardRow[],
): Promise<z.output<typeof Dashboard>[]> {
  const ids = rows.map((row) => row.id)
  const keys = Map.groupBy(await dashboards.listDashboardKeys(db, account.id, ids), (key) => key.dashboard_id)
  const domains = await readDomainStatuses(db, deps, account.id, rows)
  const bound = await readProjectFields(db, account.id, 'dashboard', ids)
  return rows.map((row) => ({
    id: row.id,
    dashboardId: row.dashboard_id,
    ...changes.valuesOf(row),
    customUrl: row.custom_url ?? undefined,
    customDomainStatus: domains.get(row.id) ?? null,
    link: row.settings.link ?? undefined,
    keys: (keys.get(row.id) ?? []).map((key) => serializeKey(deps, account, key)),
    created_at: row.created_at,
    ...bound.get(String(row.id)),
  }))
}

/** Callers that may change the dashboard read its keys whole (spec §5.4). */
function serializeKey({ vault }: Deps, { id, role }: AccountContext, row: dashboards.DashboardKeyRow) {
  const key = serializeAccessKey(row, null)
  const { sealed_key } = row
  if (!isSealed(sealed_key) || !roleAllows(role, 'READ_WRITE')) return key
  return { ...key, rawKey: vault.unseal(id, sealed_key) }
}
