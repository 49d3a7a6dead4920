// Replaces all data by that of a backup, in one transaction: schema, rows and sequences.
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { from } from 'pg-copy-streams'
import { type Migration, migrate, readMigrations } from '../core/migrate.ts'
import { dropTables, type OwnTable, quoteTable, type Sequence } from './own-tables.ts'
import { type AppliedMigration, readSchemaState } from './schema-state.ts'
import { columnsOf, plainText } from './snapshot.ts'

export interface NewData {
  migrations: AppliedMigration[]
  tables: (OwnTable & { rows: number })[]
  sequences: Sequence[]
}

/** Takes a table's rows piece by piece. */
export interface TableWriter {
  write(chunk: Buffer): Promise<void>
  /** Returns how many rows arrived. */
  close(): Promise<number>
}

/** `fill` writes every table that has rows, in the order of `data.tables`, and returns the rows of each. */
export async function replaceData(
  pool: pg.Pool,
  data: NewData,
  fill: (open: (table: OwnTable) => TableWriter) => Promise<Map<string, number>>,
  known = readMigrations(),
): Promise<void> {
  const state = await readSchemaState(pool)
  // Makes only the list of migrations, where there is none yet.
  if (state === 'absent') await migrate(pool, [])
  const client = await pool.connect()
  let isDone = false
  try {
    await client.query('begin')
    await client.query(plainText)
    // A newer release may have created tables that this one doesn't know.
    await dropTables(client, state === 'newer' ? 'all' : 'own')
    await client.query('delete from public.schema_migrations')
    await makeSchema(client, data, known)
    checkRows(data, await fill((table) => openTable(client, table)))
    for (const { table, column, lastValue, isCalled } of data.sequences) {
      await client.query('select setval(pg_get_serial_sequence($1, $2), $3, $4)', [
        quoteTable(table),
        column,
        lastValue,
        isCalled,
      ])
    }
    // Drafts have run, or their sessions have ended, since the backup.
    if (data.tables.some(({ name }) => name === 'drafts')) await client.query('delete from public.drafts')
    await client.query('commit')
    isDone = true
  } finally {
    client.release(!isDone)
  }
}

async function makeSchema(
  client: pg.PoolClient,
  { migrations, tables }: NewData,
  known: Migration[],
): Promise<void> {
  const numbers = new Set(migrations.map(({ number }) => number))
  for (const migration of known) if (numbers.has(migration.number)) await client.query(migration.sql)
  for (const { name, partition } of tables) {
    if (partition === undefined) continue
    const { rows } = await client.query('select 1 where to_regclass($1) is not null', [quoteTable(name)])
    if (rows.length > 0) continue
    await client.query(
      `create table ${quoteTable(name)} partition of ${quoteTable(partition.of)} ${partition.bound}`,
    )
  }
}

function openTable(client: pg.PoolClient, { name, columns }: OwnTable): TableWriter {
  const copy = client.query(from(`copy ${columnsOf(name, columns)} from stdin`))
  // An error of PostgreSQL reaches neither the callback of a write nor that of the end.
  const failed = new Promise<never>((_, reject) => copy.once('error', reject))
  failed.catch(() => undefined)
  return {
    write: (chunk) => Promise.race([failed, writeTo(copy, chunk)]),
    async close() {
      await Promise.race([failed, new Promise<void>((resolve) => copy.end(resolve))])
      return copy.rowCount
    },
  }
}

function writeTo(stream: Writable, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve())))
}

function checkRows({ tables }: NewData, loaded: Map<string, number>): void {
  for (const { name, rows } of tables) {
    const arrived = loaded.get(name) ?? 0
    if (arrived !== rows)
      throw new Error(`The table ${name} should have ${rows} rows, and ${arrived} arrived.`)
  }
}
