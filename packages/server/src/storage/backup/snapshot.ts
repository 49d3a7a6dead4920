// All rows of the store as of one moment, read while servers go on writing.
import type pg from 'pg'
import { to } from 'pg-copy-streams'
import { readMigrations } from '../core/migrate.ts'
import { listOwnTables, type OwnTable, quoteTable, readSequences, type Sequence } from './own-tables.ts'
import { type AppliedMigration, listAppliedMigrations } from './schema-state.ts'

export interface Snapshot {
  migrations: AppliedMigration[]
  /** Referenced tables before those that refer to them. */
  tables: OwnTable[]
  /** Lines of COPY's text format, which every PostgreSQL reads alike. */
  readRows(table: OwnTable): AsyncIterable<Buffer>
  /** Ask after the rows are read: they may only be ahead of them. */
  readSequences(): Promise<Sequence[]>
}

export async function withSnapshot<T>(
  pool: pg.Pool,
  use: (snapshot: Snapshot) => Promise<T>,
  known = readMigrations(),
): Promise<T> {
  const client = await pool.connect()
  let isDone = false
  try {
    await client.query('begin isolation level repeatable read, read only')
    await client.query(plainText)
    const snapshot: Snapshot = {
      migrations: await listAppliedMigrations(client),
      tables: await listOwnTables(client, known),
      readRows: ({ name, columns }) => client.query(to(`copy ${columnsOf(name, columns)} to stdout`)),
      readSequences: () => readSequences(client, known),
    }
    const result = await use(snapshot)
    await client.query('commit')
    isDone = true
    return result
  } finally {
    // Whatever broke off may have left a COPY half read: that connection is of no more use.
    client.release(!isDone)
  }
}

/** Values must look alike whatever the settings of either database. */
export const plainText = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local timezone = 'UTC';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1`

export function columnsOf(table: string, columns: string[]): string {
  return `${quoteTable(table)} (${columns.map((column) => `"${column.replaceAll('"', '""')}"`).join(', ')})`
}
