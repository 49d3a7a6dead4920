// Rotation of the secret key: opens every sealed value of every table with the old key and seals it with the new one.
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { putFingerprint } from '../core/secret-key.ts'
import { isSealed, type Vault } from '../core/vault.ts'

export interface Resealed {
  values: number
  /** The location of values that the old key can't unseal, such as "variables.value of account …". */
  unreadable: string[]
}

export interface Keys {
  old: Vault
  new: Vault
}

interface JsonColumn {
  table: string
  column: string
  /** The column with the account or user that the secrets of a row are sealed for. */
  owner: string | null
}

interface Row {
  ctid: string
  owner: string | null
  value: unknown
}

const batchSize = 200

/** One transaction: everything under the new key, or everything under the old one. `accept` may refuse the outcome. */
export async function resealStore(
  db: Db,
  keys: Keys,
  accept: (outcome: Resealed) => void,
): Promise<Resealed> {
  return db.transaction().execute(async (tx) => {
    const outcome: Resealed = { values: 0, unreadable: [] }
    await sql`set local statement_timeout = 0`.execute(tx)
    for (const column of await listJsonColumns(tx)) await resealColumn(tx, column, keys, outcome)
    accept(outcome)
    await putFingerprint(tx, keys.new.fingerprint)
    return outcome
  })
}

async function listJsonColumns(db: Db): Promise<JsonColumn[]> {
  const { rows } = await sql<JsonColumn>`
    select c.relname as "table", a.attname as "column",
      case when c.relname = 'accounts' then 'id' else (
        select o.attname from pg_attribute o
        where o.attrelid = c.oid and o.attname in ('account_id', 'user_id') and not o.attisdropped
        order by o.attname limit 1
      ) end as owner
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and a.atttypid = 'jsonb'::regtype and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`.execute(db)
  return rows
}

async function resealColumn(tx: Db, at: JsonColumn, keys: Keys, outcome: Resealed): Promise<void> {
  const table = sql.id('public', at.table)
  const column = sql.id(at.column)
  const owner = at.owner === null ? sql`null` : sql`${sql.id(at.owner)}::text`
  // With writers kept out a row's ctid names it, so tables need no primary key and hold still under the cursor.
  await sql`lock table ${table} in share row exclusive mode`.execute(tx)
  await sql`
    declare sealed_rows no scroll cursor for
    select ctid::text, ${owner} as owner, ${column} as value from ${table}
    where ${column}::text like '%"$sealed"%'`.execute(tx)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(batchSize)} from sealed_rows`.execute(tx)
    if (rows.length === 0) break
    for (const row of rows) {
      const value = resealDeep(
        row.value,
        row.owner,
        keys,
        () => outcome.unreadable.push(describe(at, row)),
        outcome,
      )
      await sql`update ${table} set ${column} = ${JSON.stringify(value)} where ctid = ${row.ctid}::tid`.execute(
        tx,
      )
    }
  }
  await sql`close sealed_rows`.execute(tx)
}

function resealDeep(
  value: unknown,
  owner: string | null,
  keys: Keys,
  onUnreadable: () => void,
  outcome: Resealed,
): unknown {
  if (isSealed(value)) {
    try {
      if (owner === null) throw new Error('it has no owner')
      const sealed = keys.new.seal(owner, keys.old.unseal(owner, value))
      outcome.values += 1
      return sealed
    } catch {
      onUnreadable()
      return value
    }
  }
  const again = (item: unknown) => resealDeep(item, owner, keys, onUnreadable, outcome)
  if (Array.isArray(value)) return value.map(again)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, again(item)]))
}

function describe({ table, column, owner: kind }: JsonColumn, { owner }: Row): string {
  return `${table}.${column}${owner === null ? '' : ` of ${kind === 'user_id' ? 'user' : 'account'} ${owner}`}`
}
