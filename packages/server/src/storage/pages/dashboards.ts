import { randomBytes } from 'node:crypto'
import type { DashboardInput, Page } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import { accessKeys } from '../accounts/access-keys.ts'
import type { NewKey } from '../accounts/api-keys.ts'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Vault } from '../core/vault.ts'

export type DashboardRow = Selectable<Tables['dashboards']>

export const {
  find: findDashboardById,
  insert: insertDashboard,
  update: updateDashboard,
} = accountRows('dashboards')

const keys = accessKeys('dashboard_keys')

export const { list: listDashboardKeys, delete: deleteDashboardKey } = keys

export type DashboardKeyRow = Selectable<Tables['dashboard_keys']>

/** Also returns the raw key, which is stored sealed. Pages compare its hash. */
export async function insertDashboardKey(
  tx: Db,
  vault: Vault,
  accountId: string,
  id: number,
): Promise<{ key: NewKey; row: DashboardKeyRow }> {
  const { key } = await keys.insert(tx, accountId, id)
  const row = await tx
    .updateTable('dashboard_keys')
    .set({ sealed_key: JSON.stringify(vault.seal(accountId, key.rawKey)) })
    .where('account_id', '=', accountId)
    .where('id', '=', key.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return { key, row }
}

/** A dashboard as it is sent, as columns. */
export function dashboardColumns({
  customUrl,
  customDomain,
  isPrivate,
  tags,
  ...settings
}: z.output<typeof DashboardInput>) {
  return { custom_url: customUrl, custom_domain: customDomain, is_private: isPrivate, tags, settings }
}

export async function listDashboards(
  db: Db,
  accountId: string,
  page: PageRequest,
): Promise<Page<DashboardRow>> {
  const all = db.selectFrom('dashboards').where('account_id', '=', accountId)
  return pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
}

const conditions = {
  dashboardId: (value: string) => sql<boolean>`dashboard_id = ${value}`,
  customUrl: (value: string) => sql<boolean>`lower(custom_url) = lower(${value})`,
  customDomain: (value: string) => sql<boolean>`lower(custom_domain) = lower(${value})`,
}

export async function findDashboard(
  db: Db,
  accountId: string,
  value: string,
  by: keyof typeof conditions = 'dashboardId',
): Promise<DashboardRow | null> {
  const row = await db
    .selectFrom('dashboards')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(conditions[by](value))
    .executeTakeFirst()
  return row ?? null
}

/** For visitors: by its id or its own name, which share one space of addresses over all accounts. Private ones need a key. */
export async function findShownDashboard(db: Db, name: string): Promise<DashboardRow | null> {
  // PostgreSQL fails on such a text instead of not finding it.
  if (name.includes('\0')) return null
  const row = await db
    .selectFrom('dashboards')
    .selectAll()
    .where((eb) => eb.or([conditions.dashboardId(name.toLowerCase()), conditions.customUrl(name)]))
    .executeTakeFirst()
  return row ?? null
}

/** Locked until the transaction ends, so that changes that depend on what it holds don't mix. */
export async function lockDashboard(
  tx: Db,
  accountId: string,
  dashboardId: string,
): Promise<DashboardRow | null> {
  const row = await tx
    .selectFrom('dashboards')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('dashboard_id', '=', dashboardId)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/** By its number, and kept from being deleted until the transaction ends. */
export async function holdDashboard(tx: Db, accountId: string, id: number): Promise<DashboardRow | null> {
  const row = await tx
    .selectFrom('dashboards')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row ?? null
}

/** Ids and custom names share one space of addresses: the new id must be neither. */
export async function findFreeDashboardId(db: Db): Promise<string> {
  for (;;) {
    const candidate = randomBytes(4).toString('hex')
    const taken = await db
      .selectFrom('dashboards')
      .select('id')
      .where((eb) => eb.or([eb('dashboard_id', '=', candidate), conditions.customUrl(candidate)]))
      .executeTakeFirst()
    if (taken === undefined) return candidate
  }
}

/** Whether a custom name is the id, and so the address, of another dashboard in any account. */
export async function isIdOfAnotherDashboard(db: Db, customUrl: string, ownId: string): Promise<boolean> {
  const candidate = customUrl.toLowerCase()
  if (candidate === ownId) return false
  const row = await db
    .selectFrom('dashboards')
    .select('id')
    .where('dashboard_id', '=', candidate)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteDashboard(db: Db, accountId: string, dashboardId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('dashboards')
    .where('account_id', '=', accountId)
    .where('dashboard_id', '=', dashboardId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
