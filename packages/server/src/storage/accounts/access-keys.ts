// The keys that open one private location, dashboard or status page: three tables that differ in what they open.
import type { Kysely, Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { makeKey, type NewKey } from './api-keys.ts'

const opens = {
  private_location_keys: { column: 'private_location_id', kind: 'location' },
  dashboard_keys: { column: 'dashboard_id', kind: 'dashboard' },
  status_page_keys: { column: 'status_page_id', kind: 'status-page' },
} as const

type KeyTable = keyof typeof opens
type Row<T extends KeyTable> = Selectable<Tables[T]>
type TargetId<T extends KeyTable> = T extends 'dashboard_keys' ? number : string

interface AccessKeys<T extends KeyTable> {
  /** The keys of several targets, oldest first. */
  list(db: Db, accountId: string, targetIds: TargetId<T>[]): Promise<Row<T>[]>
  /** Returns the raw key too, which is kept nowhere. */
  insert(db: Db, accountId: string, targetId: TargetId<T>): Promise<{ key: NewKey; row: Row<T> }>
  delete(db: Db, accountId: string, targetId: TargetId<T>, id: string): Promise<boolean>
}

export function accessKeys<T extends KeyTable>(name: T): AccessKeys<T> {
  const { kind } = opens[name]
  const table: string = name
  const target: string = opens[name].column
  // Kysely infers columns from a table's name, not from a type variable.
  const keys = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>
  return {
    async list(db, accountId, targetIds) {
      if (targetIds.length === 0) return []
      const rows = await keys(db)
        .selectFrom(table)
        .selectAll()
        .where('account_id', '=', accountId)
        .where(target, 'in', targetIds)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows as Row<T>[]
    },
    async insert(db, accountId, targetId) {
      const key = makeKey(kind)
      const { id, hash, maskedKey: masked_key } = key
      const row = await keys(db)
        .insertInto(table)
        .values({ id, account_id: accountId, [target]: targetId, hash, masked_key })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { key, row: row as Row<T> }
    },
    async delete(db, accountId, targetId, id) {
      const { numDeletedRows } = await keys(db)
        .deleteFrom(table)
        .where('account_id', '=', accountId)
        .where(target, '=', targetId)
        .where('id', '=', id)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}
