import { type Insertable, type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type IncidentUpdateRow = Selectable<Tables['incident_updates']>

export const { update: updateIncidentUpdate, delete: deleteIncidentUpdate } = accountRows('incident_updates')

/** The updates of several incidents, latest first by the date they carry. */
export async function listIncidentUpdates(
  db: Db,
  accountId: string,
  incidentIds: string[],
): Promise<IncidentUpdateRow[]> {
  if (incidentIds.length === 0) return []
  return db
    .selectFrom('incident_updates')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('incident_id', 'in', incidentIds)
    .orderBy('public_incident_update_date', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

export async function findIncidentUpdate(
  db: Db,
  accountId: string,
  incidentId: string,
  id: string,
): Promise<IncidentUpdateRow | null> {
  const row = await db
    .selectFrom('incident_updates')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export async function countIncidentUpdates(db: Db, accountId: string, incidentId: string): Promise<number> {
  const { total } = await db
    .selectFrom('incident_updates')
    .select(countAll)
    .where('account_id', '=', accountId)
    .where('incident_id', '=', incidentId)
    .executeTakeFirstOrThrow()
  return total
}

export async function insertIncidentUpdate(
  tx: Db,
  values: Omit<Insertable<Tables['incident_updates']>, 'created_at'>,
  at: Date,
): Promise<IncidentUpdateRow> {
  // Two updates of one millisecond would have no latest.
  const created_at = sql<string>`greatest(${at}::timestamptz, (
    select max(created_at) + interval '1 ms' from incident_updates where incident_id = ${values.incident_id}))`
  return tx
    .insertInto('incident_updates')
    .values({ ...values, created_at })
    .returningAll()
    .executeTakeFirstOrThrow()
}
