import type { Page } from '@vedette/contracts'
import type { Insertable, Selectable, Updateable } from 'kysely'
import { countAll, type Db, type PageRequest, pageOf } from './db.ts'
import type { Tables } from './tables.generated.ts'

export type MaintenanceWindowRow = Selectable<Tables['maintenance_windows']>

const operators = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Instants as ISO 8601. */
export type InstantFilter = Partial<Record<keyof typeof operators, string>>

export async function listMaintenanceWindows(
  db: Db,
  accountId: string,
  { startsAt = {}, endsAt = {}, ...page }: PageRequest & { startsAt?: InstantFilter; endsAt?: InstantFilter },
): Promise<Page<MaintenanceWindowRow>> {
  let all = db.selectFrom('maintenance_windows').where('account_id', '=', accountId)
  for (const name of Object.keys(operators) as (keyof typeof operators)[]) {
    if (startsAt[name] !== undefined) all = all.where('starts_at', operators[name], startsAt[name])
    if (endsAt[name] !== undefined) all = all.where('ends_at', operators[name], endsAt[name])
  }
  return pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
}

export async function findMaintenanceWindow(
  db: Db,
  accountId: string,
  id: number,
  options: { lock?: boolean } = {},
): Promise<MaintenanceWindowRow | null> {
  const row = await db
    .selectFrom('maintenance_windows')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .$if(options.lock === true, (query) => query.forUpdate())
    .executeTakeFirst()
  return row ?? null
}

export async function insertMaintenanceWindow(
  db: Db,
  values: Insertable<Tables['maintenance_windows']>,
): Promise<MaintenanceWindowRow> {
  return db.insertInto('maintenance_windows').values(values).returningAll().executeTakeFirstOrThrow()
}

export async function updateMaintenanceWindow(
  db: Db,
  accountId: string,
  id: number,
  values: Updateable<Tables['maintenance_windows']>,
): Promise<MaintenanceWindowRow | null> {
  const row = await db
    .updateTable('maintenance_windows')
    .set(values)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

export async function deleteMaintenanceWindow(db: Db, accountId: string, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('maintenance_windows')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
