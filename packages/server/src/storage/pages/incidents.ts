// Incidents of status pages and the services they touch.
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from '../core/cursor.ts'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { StatusPageServiceRow } from './status-page-services.ts'

export type IncidentRow = Selectable<Tables['incidents']>

// The lock: an incident's updates come one after the other.
export const {
  find: findIncident,
  lock: lockIncident,
  insert: insertIncident,
  update: updateIncident,
  delete: deleteIncident,
} = accountRows('incidents')

export async function listIncidents(
  db: Db,
  accountId: string,
  page: CursorRequest,
  isOpen?: boolean,
): Promise<CursorPage<IncidentRow>> {
  const ofAccount = db.selectFrom('incidents').where('account_id', '=', accountId)
  const isResolved = sql<boolean>`((select status from incident_updates where incident_id = incidents.id
    order by public_incident_update_date desc, created_at desc, id limit 1) = 'RESOLVED')`
  const all = isOpen === undefined ? ofAccount : ofAccount.where(isResolved, '=', !isOpen)
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}

/** For each of several pages, the latest incidents that touch one of its services. */
export async function listIncidentsOfPages(
  db: Db,
  accountId: string,
  pageIds: string[],
  limit: number,
): Promise<(IncidentRow & { status_page_id: string })[]> {
  if (pageIds.length === 0) return []
  const { rows } = await sql<IncidentRow & { status_page_id: string }>`
    select page.id as status_page_id, incident.*
    from unnest(${pageIds}::uuid[]) as page (id)
    cross join lateral (
      select i.*
      from incidents i
      where i.account_id = ${accountId} and i.id in (
        select touched.incident_id
        from status_page_components shown
        join incident_services touched on touched.service_id = shown.service_id
        where shown.status_page_id = page.id and shown.account_id = ${accountId}
      )
      order by i.created_at desc, i.id
      limit ${limit}
    ) incident`.execute(db)
  return rows
}

/** The services of several incidents, by name. */
export async function listIncidentServices(
  db: Db,
  accountId: string,
  incidentIds: string[],
): Promise<(StatusPageServiceRow & { incident_id: string })[]> {
  if (incidentIds.length === 0) return []
  return db
    .selectFrom('incident_services as link')
    .innerJoin('status_page_services as service', 'service.id', 'link.service_id')
    .selectAll('service')
    .select('link.incident_id')
    .where('link.account_id', '=', accountId)
    .where('link.incident_id', 'in', incidentIds)
    .orderBy('service.name')
    .orderBy('service.id')
    .execute()
}

/** Services that stay keep their own severity. */
export async function replaceIncidentServices(
  tx: Db,
  accountId: string,
  incidentId: string,
  serviceIds: string[],
): Promise<void> {
  await sql`delete from incident_services where account_id = ${accountId} and incident_id = ${incidentId}
    and service_id <> all(${serviceIds}::uuid[])`.execute(tx)
  await sql`insert into incident_services (account_id, incident_id, service_id)
    select ${accountId}, ${incidentId}, id from unnest(${serviceIds}::uuid[]) as service (id)
    on conflict do nothing`.execute(tx)
}

/** The severity of the incident applies to all its services. */
export async function clearServiceSeverities(tx: Db, accountId: string, incidentId: string): Promise<void> {
  await tx
    .updateTable('incident_services')
    .set({ severity: null })
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .execute()
}
