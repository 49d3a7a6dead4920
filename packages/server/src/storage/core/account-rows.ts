// Queries that all tables with an account and an id share.
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import { type Db, firstRow } from './db.ts'
import type { Tables } from './tables.generated.ts'

/** The tables whose rows belong to an account and have an id. */
type OwnedTable = {
  [T in keyof Tables]: Tables[T] extends { account_id: string; id: unknown } ? T : never
}[keyof Tables]

type Row<T extends OwnedTable> = Selectable<Tables[T]>
type Id<T extends OwnedTable> = Row<T> extends { id: infer I } ? I : never

/** Written as SQL: Kysely infers columns from the name of a table, not from a type variable. */
export function accountRows<T extends OwnedTable>(name: T) {
  const table = sql.table(name)
  const first = async (db: Db, query: RawBuilder<Row<T>>) => (await query.execute(db)).rows[0] ?? null
  return {
    find(db: Db, accountId: string, id: Id<T>): Promise<Row<T> | null> {
      return first(db, sql`select * from ${table} where account_id = ${accountId} and id = ${id}`)
    },
    /** The lock is held until the transaction ends. */
    lock(tx: Db, accountId: string, id: Id<T>): Promise<Row<T> | null> {
      return first(tx, sql`select * from ${table} where account_id = ${accountId} and id = ${id} for update`)
    },
    async insert(db: Db, values: Insertable<Tables[T]>): Promise<Row<T>> {
      const columns = definedEntries(values)
      const { rows } = await sql<Row<T>>`
        insert into ${table} (${sql.join(columns.map(([column]) => sql.ref(column)))})
        values (${sql.join(columns.map(([, value]) => value))}) returning *`.execute(db)
      return firstRow(rows)
    },
    update(db: Db, accountId: string, id: Id<T>, values: Updateable<Tables[T]>): Promise<Row<T> | null> {
      const changes = definedEntries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
      return first(
        db,
        sql`update ${table} set ${sql.join(changes)} where account_id = ${accountId} and id = ${id} returning *`,
      )
    },
    async delete(db: Db, accountId: string, id: Id<T>): Promise<boolean> {
      const deletion = sql`delete from ${table} where account_id = ${accountId} and id = ${id}`
      return ((await deletion.execute(db)).numAffectedRows ?? 0n) > 0n
    },
  }
}

function definedEntries(values: object): [string, unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
}
