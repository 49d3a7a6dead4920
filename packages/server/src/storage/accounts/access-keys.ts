// The keys of private locations, dashboards and status pages: three tables that differ in the column of their target.
import { type Selectable, sql } from 'kysely'
import { type Db, firstRow } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { makeKey, type NewKey } from './api-keys.ts'

const keyTables = {
  private_location_keys: { column: 'private_location_id', kind: 'location' },
  dashboard_keys: { column: 'dashboard_id', kind: 'dashboard' },
  status_page_keys: { column: 'status_page_id', kind: 'status-page' },
} as const

type KeyTable = keyof typeof keyTables
type Row<T extends KeyTable> = Selectable<Tables[T]>
type TargetId<T extends KeyTable> = T extends 'dashboard_keys' ? number : string

/** Written as SQL: Kysely infers columns from the name of a table, not from a type variable. */
export function accessKeys<T extends KeyTable>(name: T) {
  const { kind } = keyTables[name]
  const table = sql.table(name)
  const target = sql.ref(keyTables[name].column)
  return {
    /** The keys of several targets, oldest first. */
    async list(db: Db, accountId: string, targetIds: TargetId<T>[]): Promise<Row<T>[]> {
      if (targetIds.length === 0) return []
      const { rows } = await sql<Row<T>>`select * from ${table}
        where account_id = ${accountId} and ${target} in (${sql.join(targetIds)}) order by created_at, id`.execute(
        db,
      )
      return rows
    },
    /** Also returns the raw key, which isn't stored. */
    async insert(db: Db, accountId: string, targetId: TargetId<T>): Promise<{ key: NewKey; row: Row<T> }> {
      const key = makeKey(kind)
      const { rows } = await sql<Row<T>>`insert into ${table} (id, account_id, ${target}, hash, masked_key)
        values (${key.id}, ${accountId}, ${targetId}, ${key.hash}, ${key.maskedKey}) returning *`.execute(db)
      return { key, row: firstRow(rows) }
    },
    async delete(db: Db, accountId: string, targetId: TargetId<T>, id: string): Promise<boolean> {
      const deletion = sql`delete from ${table}
        where account_id = ${accountId} and ${target} = ${targetId} and id = ${id}`
      return ((await deletion.execute(db)).numAffectedRows ?? 0n) > 0n
    },
  }
}
