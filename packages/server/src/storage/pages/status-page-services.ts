import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from '../core/cursor.ts'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type StatusPageServiceRow = Selectable<Tables['status_page_services']>

const rows = accountRows('status_page_services')

export const insertStatusPageService = rows.insert

export async function findStatusPageService(
  db: Db,
  accountId: string,
  id: string,
): Promise<StatusPageServiceRow | null> {
  const row = await rows.find(db, accountId, id)
  return row?.deleted_at === null ? row : null
}

export async function updateStatusPageService(
  db: Db,
  accountId: string,
  id: string,
  values: { name?: string | undefined; updated_at: Date },
): Promise<StatusPageServiceRow | null> {
  const row = await db
    .updateTable('status_page_services')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** The names of the status pages that show the service. Locks it, so that no page takes it meanwhile. */
export async function listPagesOfService(tx: Db, accountId: string, id: string): Promise<string[]> {
  await rows.lock(tx, accountId, id)
  const pages = await tx
    .selectFrom('status_page_components as shown')
    .innerJoin('status_pages as page', 'page.id', 'shown.status_page_id')
    .select(['page.id', 'page.name'])
    .distinct()
    .where('shown.account_id', '=', accountId)
    .where('shown.service_id', '=', id)
    .orderBy('page.name')
    .execute()
  return pages.map(({ name }) => `"${name}"`)
}

/** One that incidents name is only marked: their history keeps its name. */
export async function deleteStatusPageService(
  tx: Db,
  accountId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const service = await findStatusPageService(tx, accountId, id)
  if (service === null) return false
  const incident = await tx
    .selectFrom('incident_services')
    .select('incident_id')
    .where('account_id', '=', accountId)
    .where('service_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (incident === undefined) return rows.delete(tx, accountId, id)
  return (await rows.update(tx, accountId, id, { deleted_at: now })) !== null
}

export async function listStatusPageServices(
  db: Db,
  accountId: string,
  page: CursorRequest,
): Promise<CursorPage<StatusPageServiceRow>> {
  const all = db
    .selectFrom('status_page_services')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}

export async function listServicesByIds(
  db: Db,
  accountId: string,
  ids: string[],
): Promise<StatusPageServiceRow[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('status_page_services')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
}

/** Those of the given ids that exist; they cannot be deleted until the transaction ends. */
export async function holdStatusPageServices(tx: Db, accountId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const found = await tx
    .selectFrom('status_page_services')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .execute()
  return new Set(found.map((row) => row.id))
}
