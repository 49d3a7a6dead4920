import type { Page } from '@vedette/contracts'
import { type Selectable, sql, type Updateable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type DashboardIncidentRow = Selectable<Tables['dashboard_incidents']>
export type DashboardIncidentUpdateRow = Selectable<Tables['dashboard_incident_updates']>

// The lock: an incident's updates come one after the other.
export const {
  find: findDashboardIncident,
  lock: lockDashboardIncident,
  insert: insertDashboardIncident,
  update: updateDashboardIncident,
  delete: deleteDashboardIncident,
} = accountRows('dashboard_incidents')

/** Open ones first, then the latest. */
export async function listDashboardIncidents(
  db: Db,
  accountId: string,
  page: PageRequest,
  dashboardId?: number,
): Promise<Page<DashboardIncidentRow>> {
  const ofAccount = db.selectFrom('dashboard_incidents').where('account_id', '=', accountId)
  const all = dashboardId === undefined ? ofAccount : ofAccount.where('dashboard_id', '=', dashboardId)
  const entries = all
    .selectAll()
    .orderBy(sql`stopped_at is not null`)
    .orderBy('started_at', 'desc')
    .orderBy('id')
  return pageOf(entries, all.select(countAll), page)
}

/** The latest update of each. */
export async function listLatestUpdates(
  db: Db,
  accountId: string,
  incidentIds: readonly string[],
): Promise<DashboardIncidentUpdateRow[]> {
  const { rows } = await sql<DashboardIncidentUpdateRow>`
    select distinct on (incident_id) * from dashboard_incident_updates
    where account_id = ${accountId} and incident_id = any(${incidentIds}::uuid[])
    order by incident_id, created_at desc, id`.execute(db)
  return rows
}

/** Newest first. */
export async function listDashboardIncidentUpdates(
  db: Db,
  accountId: string,
  incidentId: string,
  limit: number,
): Promise<DashboardIncidentUpdateRow[]> {
  return db
    .selectFrom('dashboard_incident_updates')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

export interface ShownDashboardIncident {
  id: string
  name: string
  impact: string
  startedAt: string
  stoppedAt: string | null
  /** Newest first. */
  updates: { status: string; description: string; at: string }[]
}

/** The latest incidents of a dashboard with their updates: open ones first, then by their start. */
export async function listShownDashboardIncidents(
  db: Db,
  accountId: string,
  dashboardId: number,
  limit: number,
): Promise<ShownDashboardIncident[]> {
  const { rows } = await sql<ShownDashboardIncident>`
    select i.id, i.name, i.impact, i.started_at as "startedAt", i.stopped_at as "stoppedAt",
      coalesce((
        select jsonb_agg(jsonb_build_object('status', u.status, 'description', u.description, 'at', u.created_at)
          order by u.created_at desc)
        from dashboard_incident_updates u where u.incident_id = i.id and u.account_id = i.account_id), '[]') as updates
    from dashboard_incidents i
    where i.account_id = ${accountId} and i.dashboard_id = ${dashboardId}
    order by i.stopped_at is not null, i.started_at desc, i.id
    limit ${limit}`.execute(db)
  return rows
}

export async function insertDashboardIncidentUpdate(
  tx: Db,
  values: Pick<DashboardIncidentUpdateRow, 'id' | 'account_id' | 'incident_id' | 'status' | 'description'>,
  at: Date,
): Promise<DashboardIncidentUpdateRow> {
  // Two updates of one millisecond would have no latest.
  const created_at = sql<string>`greatest(${at}::timestamptz, (
    select max(created_at) + interval '1 ms' from dashboard_incident_updates
    where incident_id = ${values.incident_id}))`
  return tx
    .insertInto('dashboard_incident_updates')
    .values({ ...values, created_at })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateDashboardIncidentUpdate(
  db: Db,
  accountId: string,
  incidentId: string,
  id: string,
  values: Updateable<Tables['dashboard_incident_updates']>,
): Promise<DashboardIncidentUpdateRow | null> {
  const row = await db
    .updateTable('dashboard_incident_updates')
    .set(values)
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function deleteDashboardIncidentUpdate(
  db: Db,
  accountId: string,
  incidentId: string,
  id: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('dashboard_incident_updates')
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
