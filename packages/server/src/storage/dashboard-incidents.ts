import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type DashboardIncidentRow = Selectable<Tables['dashboard_incidents']>
export type DashboardIncidentUpdateRow = Selectable<Tables['dashboard_incident_updates']>

export async function findDashboardIncident(
  db: Db,
  accountId: string,
  id: string,
): Promise<DashboardIncidentRow | null> {
  return (await selectIncident(db, accountId, id).executeTakeFirst()) ?? null
}

/** Locked until the transaction ends, so that its updates come one after the other. */
export async function lockDashboardIncident(
  tx: Db,
  accountId: string,
  id: string,
): Promise<DashboardIncidentRow | null> {
  return (await selectIncident(tx, accountId, id).forUpdate().executeTakeFirst()) ?? null
}

function selectIncident(db: Db, accountId: string, id: string) {
  return db
    .selectFrom('dashboard_incidents')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
}

export async function insertDashboardIncident(
  db: Db,
  values: Insertable<Tables['dashboard_incidents']>,
): Promise<DashboardIncidentRow> {
  return db.insertInto('dashboard_incidents').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updateDashboardIncident(
  db: Db,
  accountId: string,
  id: string,
  values: Updateable<Tables['dashboard_incidents']>,
): Promise<DashboardIncidentRow> {
  return db
    .updateTable('dashboard_incidents')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteDashboardIncident(db: Db, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('dashboard_incidents')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
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
