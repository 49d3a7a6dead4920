// What every aggregate with an account and an id does alike. What it does otherwise stands in its own file.
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.generated.ts'

/** The tables whose rows belong to an account and have an id. */
type OwnedTable = {
  [T in keyof Tables]: Tables[T] extends { account_id: string; id: unknown } ? T : never
}[keyof Tables]

type Row<T extends OwnedTable> = Selectable<Tables[T]>
type Id<T extends OwnedTable> = Row<T> extends { id: infer I } ? I : never

interface AccountRows<T extends OwnedTable> {
  find(db: Db, accountId: string, id: Id<T>): Promise<Row<T> | null>
  /** Held until the transaction ends. */
  lock(tx: Db, accountId: string, id: Id<T>): Promise<Row<T> | null>
  insert(db: Db, values: Insertable<Tables[T]>): Promise<Row<T>>
  update(db: Db, accountId: string, id: Id<T>, values: Updateable<Tables[T]>): Promise<Row<T> | null>
  delete(db: Db, accountId: string, id: Id<T>): Promise<boolean>
}

export function accountRows<T extends OwnedTable>(name: T): AccountRows<T> {
  // Kysely infers columns from a table's name, not from a type variable: here only the shared ones are needed.
  type Shared = Kysely<Record<string, { account_id: string; id: string | number }>>
  const shared = (db: Db) => db as unknown as Shared
  const table: string = name
  const one = (db: Db, accountId: string, id: Id<T>) =>
    shared(db)
      .selectFrom(table)
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', id as string)
  const rows = {
    async find(db: Db, accountId: string, id: Id<T>) {
      return (await one(db, accountId, id).executeTakeFirst()) ?? null
    },
    async lock(tx: Db, accountId: string, id: Id<T>) {
      return (await one(tx, accountId, id).forUpdate().executeTakeFirst()) ?? null
    },
    async insert(db: Db, values: Insertable<Tables[T]>) {
      return shared(db)
        .insertInto(table)
        .values(values as never)
        .returningAll()
        .executeTakeFirstOrThrow()
    },
    async update(db: Db, accountId: string, id: Id<T>, values: Updateable<Tables[T]>) {
      const row = await shared(db)
        .updateTable(table)
        .set(values as never)
        .where('account_id', '=', accountId)
        .where('id', '=', id as string)
        .returningAll()
        .executeTakeFirst()
      return row ?? null
    },
    async delete(db: Db, accountId: string, id: Id<T>) {
      const { numDeletedRows } = await shared(db)
        .deleteFrom(table)
        .where('account_id', '=', accountId)
        .where('id', '=', id as string)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
  return rows as unknown as AccountRows<T>
}
