// The components of status pages: a tree of groups and services.
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { StatusPageServiceRow } from './status-page-services.ts'

export interface StatusPageComponentRow extends Selectable<Tables['status_page_components']> {
  /** Null: it is a group. */
  service: StatusPageServiceRow | null
}

export const {
  insert: insertStatusPageComponent,
  update: updateStatusPageComponent,
  delete: deleteStatusPageComponent,
} = accountRows('status_page_components')

export function componentName({ name, service }: Pick<StatusPageComponentRow, 'name' | 'service'>): string {
  return name ?? service?.name ?? ''
}

/** The components of several pages, in two queries whatever their number. Each group is followed by what is in it. */
export async function listStatusPageComponents(
  db: Db,
  accountId: string,
  pageIds: string[],
): Promise<StatusPageComponentRow[]> {
  if (pageIds.length === 0) return []
  const rows = await db
    .selectFrom('status_page_components')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('status_page_id', 'in', pageIds)
    .orderBy('display_order')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const serviceIds = rows.flatMap(({ service_id }) => service_id ?? [])
  const services = await db
    .selectFrom('status_page_services')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${serviceIds}::uuid[])`)
    .execute()
  const serviceOf = new Map(services.map((service) => [service.id, service]))
  const byParent = Map.groupBy(rows, (row) => row.parent_id)
  const withChildren = (row: (typeof rows)[number]): StatusPageComponentRow[] => [
    { ...row, service: serviceOf.get(row.service_id ?? '') ?? null },
    ...(byParent.get(row.id) ?? []).flatMap(withChildren),
  ]
  return (byParent.get(null) ?? []).flatMap(withChildren)
}

interface PlacedComponent {
  statusPageId: string
  parentId: string | null
  type: 'GROUP' | 'SERVICE'
}

/** Where components are, by their id. */
export async function findComponents(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, PlacedComponent>> {
  const rows = await db
    .selectFrom('status_page_components')
    .select(['id', 'status_page_id', 'parent_id', 'service_id'])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(
    rows.map(({ id, status_page_id: statusPageId, parent_id: parentId, service_id }) => [
      id,
      { statusPageId, parentId, type: service_id === null ? 'GROUP' : 'SERVICE' },
    ]),
  )
}

/** The services that were created with components of a page. */
export async function listOwnedServices(tx: Db, accountId: string, pageId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('status_page_components')
    .select('service_id')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', pageId)
    .where('owns_service', '=', true)
    .execute()
  return rows.flatMap(({ service_id }) => service_id ?? [])
}

/**
 * Deletes those that no component shows, and returns their ids. Those that incidents name are only marked: their history
 * keeps the name.
 */
export async function deleteUnshownServices(
  tx: Db,
  accountId: string,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  if (ids.length === 0) return []
  // First, so that the statements below see the incidents that name them.
  await sql`select from status_page_services where account_id = ${accountId} and id = any(${ids}::uuid[])
    order by id for update`.execute(tx)
  const unshown = sql`account_id = ${accountId} and id = any(${ids}::uuid[]) and not exists (
    select from status_page_components shown where shown.service_id = status_page_services.id)`
  const isNamed = sql`exists (select from incident_services named where named.service_id = status_page_services.id)`
  const deleted = await sql<{ id: string }>`
    delete from status_page_services where ${unshown} and not ${isNamed} returning id`.execute(tx)
  const marked = await sql<{ id: string }>`
    update status_page_services set deleted_at = ${now} where ${unshown} and ${isNamed} returning id`.execute(
    tx,
  )
  return [...deleted.rows, ...marked.rows].map(({ id }) => id)
}
